/** A vector file, or a case in it, is not made the way its format says. The message says where and how. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';
}

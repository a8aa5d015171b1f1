/** A failure that is the user's to mend; its message says how, and no stack is shown. */
export class ReplayFailure extends Error {
  override readonly name = 'ReplayFailure';
}

/** Token ids as they travel: four bytes each, little endian, so that a long prompt is copied and not parsed. */

/** The bytes of token ids; shares their memory. */
export function encodeTokenIds(tokens: Uint32Array): Buffer {
  return Buffer.from(tokens.buffer, tokens.byteOffset, tokens.byteLength);
}

/**
 * The token ids in `bytes`.
 *
 * @throws RangeError when there is a part of an id at the end
 */
export function decodeTokenIds(bytes: Uint8Array): Uint32Array<ArrayBuffer> {
  if (bytes.byteLength % 4 !== 0) {
    throw new RangeError(`token ids take four bytes each, got ${String(bytes.byteLength)} bytes`);
  }
  // Bytes inside a message seldom lie at a multiple of four.
  return new Uint32Array(new Uint8Array(bytes).buffer);
}

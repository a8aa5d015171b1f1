/** Chained 64-bit block hashes, first block first: equal hashes mean equal prefixes. A `BigUint64Array` is read fastest. */
export type BlockHashes = BigUint64Array | readonly bigint[];

/** The hashes as pairs of 32-bit words, two words a hash; a view where the hashes are a `BigUint64Array`. */
export function wordsOf(hashes: BlockHashes): Uint32Array {
  const own = hashes instanceof BigUint64Array ? hashes : BigUint64Array.from(hashes);
  return new Uint32Array(own.buffer, own.byteOffset, 2 * own.length);
}

/** Blocks past this number of one request are not looked at; two million characters in blocks of 128. */
export const MAX_BLOCKS = 16_384;

/**
 * The Unicode code points of the text from number `skip` on, at most `limit` of them; an unpaired surrogate counts as
 * one.
 */
export function codePoints(text: string, skip: number, limit: number): Uint32Array {
  const found = new Uint32Array(Math.min(text.length, limit));
  let seen = 0;
  let count = 0;
  for (let at = 0; at < text.length && count < limit; seen++) {
    const point = text.codePointAt(at) ?? 0;
    at += point > 0xffff ? 2 : 1;
    if (seen >= skip) found[count++] = point;
  }
  return found.subarray(0, count);
}

/**
 * What a request's content is compared by: ids from number `skip` on, hashed in blocks of `blockSize`, the last maybe
 * shorter; each hash covers all blocks up to and with its own. The very last id is left out, as the engine's own block
 * keys leave it out, so equal beginnings give equal first hashes.
 */
export function chainBlocks(ids: ArrayLike<number>, skip: number, blockSize: number): BigUint64Array {
  const end = ids.length - 1;
  const blocks = Math.min(Math.max(0, Math.ceil((end - skip) / blockSize)), MAX_BLOCKS);
  const words = new Uint32Array(2 * blocks);
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let block = 0, at = skip; block < blocks; block++) {
    const stop = Math.min(at + blockSize, end);
    for (; at < stop; at++) {
      const id = ids[at] ?? 0;
      high = Math.imul(high ^ id, 0xcc9e2d51);
      high = (high << 15) | (high >>> 17);
      low = Math.imul(low ^ id, 0x1b873593) + high;
      low ^= low >>> 13;
    }
    words[2 * block] = low;
    words[2 * block + 1] = high;
  }
  return new BigUint64Array(words.buffer);
}

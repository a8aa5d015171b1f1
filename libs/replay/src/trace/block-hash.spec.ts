import { describe, expect, it } from '@jest/globals';

import { hashesOfBlocks } from './block-hash.js';

/** Owns: that hashes tell blocks apart. */

describe('hashesOfBlocks', () => {
  const hashes = hashesOfBlocks(50_000);

  it('gives every block another 64-bit hash', () => {
    expect(new Set(hashes).size).toBe(50_000);
    for (const hash of hashes) expect(BigInt.asUintN(64, hash)).toBe(hash);
  });

  it('spreads them evenly over both halves', () => {
    const buckets = (shift: bigint): number =>
      new Set(hashes.slice(0, 2000).map((hash) => (hash >> shift) & 0xffn)).size;
    for (const shift of [0n, 24n, 32n, 56n]) expect(buckets(shift)).toBe(256);
  });
});

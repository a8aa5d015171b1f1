import { describe, expect, it } from '@jest/globals';

import { hashKey, makeKeyHash } from './key-hash.js';

describe('hashKey', () => {
  it('depends on every code unit, their order, the length and the seed', () => {
    const keys = ['', '\0', '\0\0', '\0\0\0', 'ab', 'ba', 'a', 'a\0', 'aa', '\u0161', 'abc', 'abd', 'bbc'];
    const hashes = keys.flatMap((key) => [hashKey(key, 1, 2), hashKey(key, 2, 1)]);
    expect(new Set(hashes).size).toBe(2 * keys.length);
  });

  it('spreads counters evenly', () => {
    const buckets = new Uint32Array(64);
    for (let at = 0; at < 64_000; at++) {
      const bucket = hashKey(`session-${String(at)}`, 123, 456) & 63;
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    // A thousand each, with a standard deviation of 32.
    expect(Math.min(...buckets)).toBeGreaterThan(800);
    expect(Math.max(...buckets)).toBeLessThan(1200);
  });
});

describe('makeKeyHash', () => {
  it('is the same function of a key each time, and another one for each caller', () => {
    const [mine, others] = [makeKeyHash(), makeKeyHash()];
    const keys = Array.from({ length: 8 }, (_, at) => `session-${String(at)}`);
    const hashes = keys.map((key) => mine(key));
    expect(keys.map((key) => mine(key))).toEqual(hashes);
    expect(keys.map((key) => others(key))).not.toEqual(hashes);
  });
});

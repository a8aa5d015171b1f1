// The index against a Map, with a hash that hardly tells keys apart, and the hash that is used for real.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { hashKey, makeKeyHash } from './key-hash.js';
import { KeyIndex } from './key-index.js';

describe('KeyIndex', () => {
  it.each([
    ['one hash for all', (): number => -1],
    ['four hashes around the end', (key: string): number => (key.length % 4) - 2],
    ['the real hash', makeKeyHash()],
  ])('equals a map with %s', (_, hash) => {
    const key = fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: 9 })).map(([a, b]) => 'x'.repeat(a) + String(b));
    fc.assert(
      fc.property(fc.array(key, { maxLength: 300 }), (toggled) => {
        const keys: string[] = [];
        const index = new KeyIndex(hash, (slot) => keys[slot] ?? '');
        const model = new Map<string, number>();
        for (const each of toggled) {
          const slot = model.get(each);
          if (slot === undefined) {
            model.set(each, keys.length);
            index.add(each, keys.length);
            keys.push(each);
          } else {
            model.delete(each);
            index.remove(slot);
          }
        }
        expect(toggled.map((each) => index.find(each))).toEqual(toggled.map((each) => model.get(each)));
      }),
    );
  });

  it('grows', () => {
    const keys = Array.from({ length: 5000 }, (_, at) => `key-${String(at)}`);
    const index = new KeyIndex(makeKeyHash(), (slot) => keys[slot] ?? '');
    keys.forEach((key, slot) => index.add(key, slot));
    expect(keys.map((key) => index.find(key))).toEqual(keys.map((_, slot) => slot));
    expect(index.find('key-5000')).toBeUndefined();
  });
});

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

// The index against a Map, with hashes that hardly tell keys apart and with the one that is used for real.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { makeKeyHash } from './key-hash.js';
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
        const index = new KeyIndex(hash);
        const model = new Map<string, number>();
        toggled.forEach((each, next) => {
          const slot = model.get(each);
          if (slot === undefined) {
            model.set(each, next);
            index.add(each, next);
          } else {
            model.delete(each);
            index.remove(slot);
          }
        });
        expect(index.size).toBe(model.size);
        const keyOf = new Map([...model].map(([each, slot]) => [slot, each]));
        expect(toggled.map((_, slot) => index.keyAt(slot))).toEqual(toggled.map((_, slot) => keyOf.get(slot) ?? ''));
        expect(toggled.map((each) => index.find(each))).toEqual(toggled.map((each) => model.get(each)));
      }),
    );
  });

  it('finds what a Map of the same keys would, through thousands of additions and removals', () => {
    const keyNumbers = fc.array(fc.nat(300), { minLength: 2000, maxLength: 4000 });
    fc.assert(
      fc.property(keyNumbers, (numbers) => {
        const index = new KeyIndex();
        const slots = new Map<string, number>();
        const free = Array.from({ length: 301 }, (_, slot) => slot);
        for (const number of numbers) {
          const key = `conv-${String(number)}`;
          const slot = slots.get(key);
          if (slot === undefined) {
            const taken = free.pop() ?? -1;
            index.add(key, taken);
            slots.set(key, taken);
          } else {
            index.remove(slot);
            slots.delete(key);
            free.push(slot);
          }
          expect(index.find(key)).toBe(slots.get(key));
        }
        expect(index.size).toBe(slots.size);
        for (let number = 0; number <= 300; number += 1) {
          const key = `conv-${String(number)}`;
          expect(index.find(key)).toBe(slots.get(key));
        }
      }),
      { numRuns: 20 },
    );
  });

  it('compares keys whole', () => {
    const index = new KeyIndex();
    index.add('session-1', 0);
    index.add('session-12', 1);
    index.add('sess\u00e9\u{1F600}', 2);
    expect(index.find('session-1')).toBe(0);
    expect(index.find('session-12')).toBe(1);
    expect(index.find('sess\u00e9\u{1F600}')).toBe(2);
    expect(index.find('session')).toBeUndefined();
    expect(index.find('')).toBeUndefined();
  });

  it('grows', () => {
    const keys = Array.from({ length: 5000 }, (_, at) => `key-${String(at)}`);
    const index = new KeyIndex();
    keys.forEach((key, slot) => index.add(key, slot));
    expect(keys.map((key) => index.find(key))).toEqual(keys.map((_, slot) => slot));
    expect(index.find('key-5000')).toBeUndefined();
  });
});

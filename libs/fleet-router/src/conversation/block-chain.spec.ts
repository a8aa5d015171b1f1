// Blocks of code points and ids: equal beginnings, the last id, skipping, and the limits.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { chainBlocks, codePoints, MAX_BLOCKS } from './block-chain.js';

const sharedBlocks = (one: BigUint64Array, two: BigUint64Array): number => {
  let shared = 0;
  while (shared < one.length && one[shared] === two[shared]) shared++;
  return shared;
};

describe('codePoints', () => {
  it('equals the characters of the text, from the first that is not skipped', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.nat({ max: 5 }),
        fc.integer({ min: 1, max: 8 }),
        (text, skip, limit) => {
          const expected = Array.from(text).slice(skip, skip + limit);
          expect([...codePoints(text, skip, limit)]).toEqual(expected.map((character) => character.codePointAt(0)));
        },
      ),
    );
  });
});

describe('chainBlocks', () => {
  it('makes a block of each begun size, without the last id', () => {
    const lengths = [0, 1, 2, 4, 5, 9].map((length) => chainBlocks(Array<number>(length).fill(1), 0, 4).length);
    expect(lengths).toEqual([0, 0, 1, 1, 1, 2]);
  });

  it('shares exactly the blocks before the first difference', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 300_000 }), { minLength: 2, maxLength: 60 }),
        fc.nat(),
        fc.integer({ min: 1, max: 9 }),
        fc.nat({ max: 4 }),
        (ids, where, size, skip) => {
          const at = where % (ids.length - 1);
          const changed = ids.map((id, index) => (index === at ? id + 1 : id));
          const [one, two] = [chainBlocks(ids, skip, size), chainBlocks(changed, skip, size)];
          const expected = at < skip ? one.length : Math.floor((at - skip) / size);
          expect(sharedBlocks(one, two)).toBe(expected);
        },
      ),
    );
  });

  it('depends on all that came before', () => {
    const [one, two] = [chainBlocks([1, 9, 9, 0], 0, 1), chainBlocks([2, 9, 9, 0], 0, 1)];
    expect(new Set([...one, ...two]).size).toBe(6);
  });

  it('hardly makes a collision', () => {
    const ids = Uint32Array.from({ length: 10_001 }, (_, at) => at % 7);
    const chain = chainBlocks(ids, 0, 1);
    expect(new Set(chain).size).toBe(10_000);
  });

  it('looks at no more than its limit', () => {
    expect(chainBlocks(new Uint8Array(MAX_BLOCKS + 99), 0, 1).length).toBe(MAX_BLOCKS);
  });
});

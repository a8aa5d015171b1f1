import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { BlockOracle } from './block-oracle.js';
import { BranchOracle, sharedBlocks } from './branch-oracle.js';
import type { PrefixOracle } from './prefix-oracle.js';

/** Owns: that both oracles know the longest prefix of all requests within each horizon, whatever they are. */

/** Requests as paths through a binary tree, in which a node's number stands for the way to it. */
const request = fc.record({
  turns: fc.array(fc.boolean(), { maxLength: 6 }),
  pause: fc.integer({ min: 0, max: 10 }),
});

function pathOf(turns: readonly boolean[]): Uint32Array {
  let node = 0;
  return Uint32Array.from(turns, (turn) => (node = 2 * node + (turn ? 1 : 2)));
}

function inCommon(one: readonly boolean[], other: readonly boolean[]): number {
  const differs = one.findIndex((turn, index) => turn !== other[index]);
  return differs === -1 ? one.length : differs;
}

const ORACLES: [name: string, make: (horizons: readonly number[]) => PrefixOracle][] = [
  ['BlockOracle', (horizons) => new BlockOracle(127, horizons)],
  ['BranchOracle', (horizons) => new BranchOracle(horizons)],
];

describe.each(ORACLES)('%s', (_, make) => {
  it('finds what a comparison with every earlier request finds', () => {
    const anyHorizons = fc.array(fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constant(Infinity)), { maxLength: 3 });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 20 }), anyHorizons, (requests, horizons) => {
        const oracle = make(horizons);
        const earlier: { readonly at: number; readonly turns: readonly boolean[] }[] = [];
        let now = 0;
        for (const { turns, pause } of requests) {
          now += pause;
          const expected = horizons.map((horizon) =>
            Math.max(
              0,
              ...earlier.filter(({ at }) => now - at <= horizon).map((other) => inCommon(turns, other.turns)),
            ),
          );
          expect(oracle.sharedBlocks(pathOf(turns), now)).toEqual(expected);
          oracle.remember(pathOf(turns), now);
          earlier.push({ at: now, turns });
        }
      }),
    );
  });
});

describe('sharedBlocks', () => {
  it('is the longest common beginning, and never less than is known already', () => {
    const turns = fc.array(fc.boolean(), { maxLength: 9 });
    fc.assert(
      fc.property(turns, turns, fc.integer({ min: 0, max: 9 }), (one, other, least) => {
        const shared = sharedBlocks(pathOf(one), pathOf(other), least);
        expect(shared).toBe(Math.max(least, inCommon(one, other)));
      }),
    );
  });
});

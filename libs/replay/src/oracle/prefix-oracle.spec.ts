import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { PrefixOracle } from './prefix-oracle.js';

/** Owns: that the oracle knows the longest prefix of all requests so far, whatever they are. */

const B = 4;

/** Requests as paths through a binary tree, in which a node's number stands for the way to it. */
const request = fc.record({
  turns: fc.array(fc.boolean(), { maxLength: 6 }),
  tail: fc.integer({ min: 0, max: B - 1 }),
  pause: fc.integer({ min: 0, max: 10 }),
});

function pathOf(turns: readonly boolean[]): Uint32Array {
  let node = 0;
  return Uint32Array.from(turns, (turn) => (node = 2 * node + (turn ? 1 : 2)));
}

describe('PrefixOracle', () => {
  it('finds what a comparison with every earlier request finds', () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 20 }), fc.integer({ min: 1, max: 30 }), (requests, horizon) => {
        const oracle = new PrefixOracle(127, B, horizon);
        const earlier: { readonly at: number; readonly turns: readonly boolean[] }[] = [];
        let now = 0;
        for (const { turns, tail, pause } of requests) {
          now += pause;
          const inputTokens = Math.max(1, turns.length * B + tail);
          const common = earlier
            .filter(({ at }) => now - at <= horizon)
            .map((other) => turns.findIndex((turn, index) => turn !== other.turns[index]))
            .map((differs) => (differs === -1 ? turns.length : differs));
          const expected = Math.min(Math.max(0, ...common), Math.floor((inputTokens - 1) / B)) * B;
          expect(oracle.reusableTokens(pathOf(turns), inputTokens, now)).toBe(expected);
          oracle.remember(pathOf(turns), now);
          earlier.push({ at: now, turns });
        }
      }),
    );
  });

  it('never forgets by default', () => {
    const oracle = new PrefixOracle(10, B);
    oracle.remember(Uint32Array.of(1, 2), 0);
    expect(oracle.reusableTokens(Uint32Array.of(1, 2, 3), 3 * B, 1e15)).toBe(2 * B);
  });

  it('leaves the last token to be computed', () => {
    const oracle = new PrefixOracle(10, B);
    oracle.remember(Uint32Array.of(1, 2), 0);
    expect(oracle.reusableTokens(Uint32Array.of(1, 2), 2 * B, 1)).toBe(B);
    expect(oracle.reusableTokens(Uint32Array.of(1, 2), 2 * B + 1, 1)).toBe(2 * B);
  });
});

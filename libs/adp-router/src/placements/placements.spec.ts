import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { PLACEMENTS, selectPlacement } from './placements.js';

const request = { numInputTokens: 100 };

const rankCounts = fc
  .array(fc.record({ requests: fc.nat(9), tokens: fc.nat(5000), pending: fc.nat(5000) }), {
    minLength: 1,
    maxLength: 16,
  })
  .map((ranks) => ({
    activeRequests: ranks.map(({ requests }) => requests),
    activeTokens: ranks.map(({ tokens }) => tokens),
    pendingPrefillTokens: ranks.map(({ pending }) => pending),
  }));

describe.each(PLACEMENTS)('every placement: $name', (strategy) => {
  test('chooses a rank below the cap', () => {
    fc.assert(
      fc.property(fc.array(rankCounts, { minLength: 1 }), fc.nat(9), (calls, above) => {
        const placement = strategy.create();
        for (const ranks of calls) {
          const cap = Math.min(...ranks.activeRequests) + 1 + above;
          const rank = placement.choose(ranks, cap, request);
          expect(ranks.activeRequests[rank]).toBeLessThan(cap);
        }
      }),
    );
  });

  test('spreads alike requests over idle ranks, one each', () => {
    const placement = strategy.create();
    const activeRequests = [0, 0, 0, 0];
    const activeTokens = [0, 0, 0, 0];
    for (let n = 0; n < 4; n += 1) {
      const rank = placement.choose({ activeRequests, activeTokens, pendingPrefillTokens: activeTokens }, 9, request);
      activeRequests[rank] = (activeRequests[rank] ?? 0) + 1;
      activeTokens[rank] = (activeTokens[rank] ?? 0) + 100;
    }
    expect(activeRequests).toEqual([1, 1, 1, 1]);
  });

  test('two of them agree and share no state', () => {
    fc.assert(
      fc.property(fc.array(rankCounts), (calls) => {
        const chosen = (): number[] => {
          const placement = strategy.create();
          return calls.map((ranks) => placement.choose(ranks, 10, request));
        };
        expect(chosen()).toEqual(chosen());
      }),
    );
  });
});

describe('selecting a placement', () => {
  test.each(['round_robin', 'least_queued', 'least_tokens', 'least_prefill'])('%s', (name) => {
    expect(selectPlacement(name).name).toBe(name);
  });

  test.each(['', 'Round_Robin', 'least_bogus', '__proto__'])(
    '%p, which there is not, counts as round_robin',
    (name) => {
      expect(selectPlacement(name).name).toBe('round_robin');
    },
  );
});

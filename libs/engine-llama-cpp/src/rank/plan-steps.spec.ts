// Owns how an iteration is shared out.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { planSteps } from './plan-steps.js';

const pending = (...tokens: number[]): { pendingTokens: number }[] =>
  tokens.map((pendingTokens) => ({ pendingTokens }));

describe('planSteps', () => {
  it('gives short ones all they need, and the long ones the rest alike', () => {
    const steps = planSteps(pending(900, 1, 10, 700), 64);
    expect(steps.map(({ item, numTokens }) => [item.pendingTokens, numTokens])).toEqual([
      [1, 1],
      [10, 10],
      [700, 27],
      [900, 26],
    ]);
  });

  it('never exceeds the budget or the need, wastes nothing, and lets everybody have a turn', () =>
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 500 }), { maxLength: 20 }),
        fc.integer({ min: 20, max: 300 }),
        (needs, budget) => {
          const items = pending(...needs);
          const steps = planSteps(items, budget);
          const total = steps.reduce((sum, { numTokens }) => sum + numTokens, 0);
          expect(total).toBe(
            Math.min(
              budget,
              needs.reduce((sum, need) => sum + need, 0),
            ),
          );
          expect(new Set(steps.map(({ item }) => item)).size).toBe(items.length);
          for (const { item, numTokens } of steps) expect(numTokens).toBeLessThanOrEqual(item.pendingTokens);
        },
      ),
    ));
});

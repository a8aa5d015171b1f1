// When requests are held back for each other, and that this ends.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { balanceLimitsOf, shouldHold } from './balance.js';

const LIMITS = { timeoutIters: 50, batchingWaitIters: 10 };
const CAP = 4;

const hold = (active: readonly number[], count: number, longestIters = 0, limits = LIMITS): boolean =>
  shouldHold(
    { count, longestIters },
    active.map((numActiveRequests) => ({ numActiveRequests })),
    CAP,
    limits,
  );

describe('holding requests back for balance', () => {
  it.each([
    ['too few for all ranks, until the timeout', [1, 1, 1], 2, 49, true],
    ['too few for all ranks, at the timeout', [1, 1, 1], 2, 50, false],
    ['one for each rank, until the batching wait', [1, 1, 1], 3, 9, true],
    ['one for each rank, at the batching wait', [1, 1, 1], 3, 10, false],
    ['one for each rank that has room', [1, 1, CAP], 2, 10, false],
    ['as many as there are slots', [3, 3, CAP], 2, 0, false],
    ['a rank with nothing to do', [2, 0, 2], 1, 0, false],
    ['a single rank', [1], 1, 0, false],
  ])('%s', (_, active, count, iters, expected) => {
    expect(hold(active, count, iters)).toBe(expected);
  });

  it('never holds beyond the longer limit, and with none not at all', () => {
    const active = fc.array(fc.nat({ max: CAP }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(active, fc.integer({ min: 1, max: 40 }), fc.nat({ max: 9 }), fc.nat({ max: 9 }), (...args) => {
        const [ranks, count, timeoutIters, batchingWaitIters] = args;
        const limits = { timeoutIters, batchingWaitIters };
        expect(hold(ranks, count, Math.max(timeoutIters, batchingWaitIters), limits)).toBe(false);
        expect(hold(ranks, count, 0, { timeoutIters: 0, batchingWaitIters: 0 })).toBe(false);
      }),
    );
  });
});

describe('the limits that a configuration asks for', () => {
  it.each([
    [{}, null],
    [{ enable_balance: false, timeout_iters: 3 }, null],
    [{ enable_balance: true }, { timeoutIters: 50, batchingWaitIters: 10 }],
    [
      { enable_balance: true, timeout_iters: 3, batching_wait_iters: 0 },
      { timeoutIters: 3, batchingWaitIters: 0 },
    ],
  ])('%j', (options, expected) => {
    expect(balanceLimitsOf(options)).toEqual(expected);
  });
});

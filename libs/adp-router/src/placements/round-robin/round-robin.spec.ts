import { expect, test } from '@jest/globals';

import { roundRobin } from './round-robin.js';

function choices(calls: readonly (readonly number[])[], cap: number): number[] {
  const placement = roundRobin.create();
  return calls.map((activeRequests) =>
    placement.choose({ activeRequests, activeTokens: [], pendingPrefillTokens: [] }, cap, { numInputTokens: 1 }),
  );
}

test('goes round, whatever the loads below the cap', () => {
  const loads = [3, 0, 2];
  expect(choices([loads, loads, loads, loads], 4)).toEqual([0, 1, 2, 0]);
});

test('skips ranks at the cap and goes on behind the rank it chose', () => {
  expect(
    choices(
      [
        [4, 4, 0],
        [0, 0, 0],
        [0, 4, 4],
      ],
      4,
    ),
  ).toEqual([2, 0, 0]);
});

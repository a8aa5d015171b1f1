import { expect, test } from '@jest/globals';

import { leastQueued } from './least-queued.js';

test.each([
  [[5, 1, 3, 4], 1],
  [[2, 1, 1], 1],
  [[0, 0], 0],
])('of %p active requests, chooses rank %p', (activeRequests, rank) => {
  const activeTokens = activeRequests.map((active) => 1000 - active);
  const placement = leastQueued.create();
  expect(
    placement.choose({ activeRequests, activeTokens, pendingPrefillTokens: activeTokens }, 9, { numInputTokens: 1 }),
  ).toBe(rank);
});

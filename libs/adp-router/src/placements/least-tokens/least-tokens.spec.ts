import { expect, test } from '@jest/globals';

import { leastTokens } from './least-tokens.js';

const request = { numInputTokens: 10 };
// Pending tokens say the opposite, and must not matter.
const pendingPrefillTokens = [0, 900, 0];

test('fewest tokens win over fewest requests', () => {
  const placement = leastTokens.create();
  const ranks = { activeRequests: [1, 5, 2], activeTokens: [900, 10, 800], pendingPrefillTokens };
  expect(placement.choose(ranks, 9, request)).toBe(1);
});

test('a rank at the cap is passed over, however few its tokens', () => {
  const placement = leastTokens.create();
  const ranks = { activeRequests: [1, 5, 2], activeTokens: [900, 10, 800], pendingPrefillTokens };
  expect(placement.choose(ranks, 5, request)).toBe(2);
});

test('equal tokens: fewest requests win', () => {
  const placement = leastTokens.create();
  const ranks = { activeRequests: [3, 2, 4], activeTokens: [7, 7, 7], pendingPrefillTokens };
  expect(placement.choose(ranks, 9, request)).toBe(1);
});

test('equal tokens and requests: the nearest behind the rank chosen last wins', () => {
  const placement = leastTokens.create();
  const alike = { activeRequests: [1, 1, 1], activeTokens: [7, 7, 7], pendingPrefillTokens };
  const only2 = { activeRequests: [1, 1, 1], activeTokens: [7, 7, 0], pendingPrefillTokens };
  expect(placement.choose(alike, 9, request)).toBe(0);
  expect(placement.choose(alike, 9, request)).toBe(1);
  expect(placement.choose(only2, 9, request)).toBe(2);
  expect(placement.choose(only2, 9, request)).toBe(2);
  expect(placement.choose(alike, 9, request)).toBe(0);
});

import { expect, test } from '@jest/globals';

import { measureRankLoad } from './rank-load.js';

test("scenario 9: a rank's load counts its requests and their prompt tokens, without retiring ones", () => {
  const load = measureRankLoad(3, [
    { numPromptTokens: 100, retiring: false },
    { numPromptTokens: 400, retiring: true },
    { numPromptTokens: 50, retiring: false },
  ]);
  expect(load).toEqual({ rank: 3, numActiveRequests: 2, numActiveTokens: 150 });
});

test('a rank without requests has no load', () => {
  expect(measureRankLoad(0, [])).toEqual({
    rank: 0,
    numActiveRequests: 0,
    numActiveTokens: 0,
  });
});

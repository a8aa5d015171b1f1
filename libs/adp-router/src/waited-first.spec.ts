import { expect, test } from '@jest/globals';

import { waitedFirst } from './waited-first.js';

const request = (id: number, waitedIters?: number) => ({
  id,
  numInputTokens: 1,
  ...(waitedIters !== undefined && { waitedIters }),
});

test('the longest wait first, arrivals as they came, and equals as they came', () => {
  const { waited, arrived } = waitedFirst([request(0), request(1, 2), request(2, 0), request(3, 5), request(4, 2)]);
  expect(waited.map(({ id }) => id)).toEqual([3, 1, 4]);
  expect(arrived.map(({ id }) => id)).toEqual([0, 2]);
});

test('where none has waited, all have arrived', () => {
  const requests = [request(0), request(1, 0)];
  expect(waitedFirst(requests)).toEqual({ waited: [], arrived: requests });
});

import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { scoreRank } from './score-rank.js';

test.each([
  // prompt, cached, load, total, beta, score
  [100, 50, 0, 0, 1, 0.5],
  [100, 50, 200, 400, 1, 0],
  [100, 50, 200, 400, 0, 0.5],
  [100, 0, 200, 400, 2, -1],
  // An almost idle instance: 10 tokens are a tenth of this prompt, not all of the load.
  [100, 0, 10, 10, 1, -0.1],
  [0, 0, 0, 0, 1, 0],
])('of a prompt of %p, cached %p, load %p of %p, beta %p: %p', (prompt, cached, load, total, beta, score) => {
  expect(scoreRank(prompt, cached, load, total, beta)).toBeCloseTo(score, 12);
});

test('is -beta to 1', () => {
  fc.assert(
    fc.property(
      fc.nat(9000),
      fc.nat(9000),
      fc.nat(9000),
      fc.nat(9000),
      fc.nat(4),
      (prompt, cached, load, rest, beta) => {
        const score = scoreRank(prompt, Math.min(cached, prompt), load, load + rest, beta);
        expect(score).toBeGreaterThanOrEqual(-beta);
        expect(score).toBeLessThanOrEqual(1);
      },
    ),
  );
});

import { describe, expect, it } from '@jest/globals';

import { gamma } from './distributions.js';
import { namedRandom, seededRandom } from './random.js';

/** Owns: that numbers are spread as they should be. */

describe('gamma', () => {
  it.each([0.5, 1, 2, 4])('has the mean and the coefficient of variation %d', (cv) => {
    const random = seededRandom(3);
    const values = Array.from({ length: 50_000 }, () => gamma(random, 7, cv));
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    expect(Math.abs(mean / 7 - 1)).toBeLessThan(0.05);
    expect(Math.abs(Math.sqrt(variance) / mean / cv - 1)).toBeLessThan(0.05);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
  });
});

describe('namedRandom', () => {
  it('is another sequence for another name or seed', () => {
    const first = [namedRandom(1, 'a'), namedRandom(1, 'b'), namedRandom(2, 'a'), namedRandom(1, 'a')].map((random) =>
      random(),
    );
    expect(new Set(first).size).toBe(3);
    expect(first[3]).toBe(first[0]);
  });
});

import { describe, expect, it } from '@jest/globals';

import { sessionStarts } from './session-starts.js';

/** Owns: when sessions start. */

describe('sessionStarts', () => {
  it('is a Poisson process from 0 on', () => {
    const starts = sessionStarts(20_001, 500, 7);
    const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? 0));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
    expect(starts[0]).toBe(0);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
    expect(mean / 500).toBeCloseTo(1, 1);
    expect(Math.sqrt(variance) / mean).toBeCloseTo(1, 1);
  });

  it('depends on the seed alone', () => {
    expect(sessionStarts(5, 100, 3)).toEqual(sessionStarts(5, 100, 3));
    expect(sessionStarts(5, 100, 3)).not.toEqual(sessionStarts(5, 100, 4));
  });
});

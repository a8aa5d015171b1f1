import { describe, expect, it } from '@jest/globals';

import { imbalanceOf, spreadOf } from './spread.js';

/** Owns: what the figures of a report mean. */

describe('spreadOf', () => {
  it('gives values that occur', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(spreadOf(values)).toEqual({ mean: 50.5, p50: 50, p95: 95, p99: 99 });
    expect(spreadOf([7])).toEqual({ mean: 7, p50: 7, p95: 7, p99: 7 });
  });

  it('is nothing for nothing', () => expect(spreadOf([])).toBeNull());
});

describe('imbalanceOf', () => {
  it.each([
    [[5, 5, 5], 1],
    [[0, 0], 1],
    [[9, 0, 0], 3],
    [[3, 1], 1.5],
  ])('of %j is %p', (values, expected) => expect(imbalanceOf(values)).toBeCloseTo(expected));
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { editDistance, nearestName } from './nearest-name.js';

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['port', 'port', 0],
    ['prt', 'port', 1],
    ['kitten', 'sitting', 3],
    ['', 'abc', 3],
  ])('from %j to %j is %i', (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance);
  });

  it('is a distance', () => {
    const word = fc.string({ maxLength: 8 });
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
        expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c));
      }),
    );
  });
});

describe('nearestName', () => {
  it('is the first of the nearest, in any case', () => {
    expect(nearestName('PROT', ['post', 'port', 'pro'])).toBe('pro');
    expect(nearestName('x', ['ab', 'cd'])).toBe('ab');
    expect(nearestName('x', [])).toBeNull();
  });
});

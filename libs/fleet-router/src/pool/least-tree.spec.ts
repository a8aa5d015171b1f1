// The tree against a scan over all numbers, after any changes.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { LeastTree } from './least-tree.js';

const number = fc.oneof(fc.nat({ max: 3 }), fc.constant(Infinity));

describe('LeastTree', () => {
  it('tells who is tied for the least, in order', () => {
    fc.assert(
      fc.property(
        fc.array(number, { maxLength: 20 }),
        fc.array(fc.tuple(fc.nat(), number), { maxLength: 40 }),
        (numbers, changes) => {
          const tree = new LeastTree(numbers);
          const expectSame = (): void => {
            const least = Math.min(...numbers);
            const isTied = (position: number): boolean => least < Infinity && numbers[position] === least;
            const tied = [...numbers.keys()].filter(isTied);
            expect(tree.least).toBe(least);
            expect(Array.from({ length: tree.tied }, (_, turn) => tree.positionOf(turn))).toEqual(tied);
          };
          expectSame();
          for (const [where, changed] of numbers.length === 0 ? [] : changes) {
            numbers[where % numbers.length] = changed;
            tree.set(where % numbers.length, changed);
            expectSame();
          }
        },
      ),
    );
  });
});

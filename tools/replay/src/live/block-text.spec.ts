import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { BlockTexts } from './block-text.js';

/** Owns: that texts are shared exactly where blocks are. */

describe('BlockTexts', () => {
  it('gives equal blocks equal texts and different ones different ones, of as many words', () => {
    const number = fc.integer({ min: 0, max: 2_000_000_000 });
    fc.assert(
      fc.property(number, number, fc.integer({ min: 5, max: 80 }), (one, other, words) => {
        const texts = new BlockTexts(words);
        const textOf = (...blocks: number[]): string => texts.textOf(Uint32Array.from(blocks));
        expect(textOf(one).split(' ')).toHaveLength(words + 1);
        expect(textOf(one) === textOf(other)).toBe(one === other);
        expect(textOf(one, other)).toBe(textOf(one) + textOf(other));
      }),
    );
  });

  it('refuses blocks too short to be told apart', () => {
    expect(() => new BlockTexts(4)).toThrow(RangeError);
  });
});

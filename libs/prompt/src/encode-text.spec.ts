import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/cl100k_base';

import { encodeText, MAX_PIECE } from './encode-text.js';
import { CONTROL, decodeTokens, VOCABULARY_SIZE } from './vocabulary.js';

/** Owns: that text becomes the tokens of `cl100k_base`, whatever the text, and comes back. */

const anyText = fc.string({ unit: 'binary', maxLength: 300, size: 'max' });
const anyUnits = fc
  .array(fc.nat(0xffff), { maxLength: 200, size: 'max' })
  .map((units) => String.fromCharCode(...units));
/** Text without a run longer than a piece may be. */
const plainText = fc
  .array(fc.oneof(fc.lorem({ maxCount: 3 }), fc.string({ unit: 'grapheme', maxLength: 20 }), fc.constant('\n\n')))
  .map((parts) => parts.join(' '));
const published = (text: string): number[] => encode(text, { disallowedSpecial: new Set() });
const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'utf8'));
const decoded = (tokens: number[]): Uint8Array => new Uint8Array(decodeTokens(tokens));

describe('encodeText', () => {
  it.each([
    ['Hello, world!', [9906, 11, 1917, 0]],
    ['antidisestablishmentarianism', [519, 85342, 34500, 479, 8997, 2191]],
    ['お誕生日おめでとう', [33334, 45918, 243, 21990, 9080, 33334, 62004, 16556, 78699]],
    ['', []],
  ])('encodes %j as published', (text, tokens) => {
    expect(encodeText(text)).toEqual(tokens);
  });

  it('agrees with the published encoding', () =>
    fc.assert(fc.property(plainText, (text) => expect(encodeText(text)).toEqual(published(text)))));

  it('comes back as the same bytes, with lone surrogates replaced', () =>
    fc.assert(
      fc.property(fc.oneof(anyText, anyUnits), (text) => expect(decoded(encodeText(text))).toEqual(utf8(text))),
    ));

  it('comes back from words, blanks and symbols without end, too', () =>
    fc.assert(
      fc.property(
        fc.constantFrom('a', 'é', '汉', '😀', ' ', '\n', '!', '\ud800', '𠀀'),
        fc.integer({ min: MAX_PIECE - 2, max: 5 * MAX_PIECE }),
        (unit, count) => {
          const text = unit.repeat(count);
          expect(decoded(encodeText(text))).toEqual(utf8(text));
        },
      ),
    ));

  it('never takes text for a control token', () =>
    fc.assert(
      fc.property(
        fc
          .array(fc.constantFrom('<|', '|>', 'im_start', 'im_end', 'endoftext', '<|im_start|>', '<|endoftext|>', ' '))
          .map((parts) => parts.join('')),
        (text) => {
          const tokens = encodeText(text);
          expect(tokens.every((token) => token < 100_256)).toBe(true);
          expect(decoded(tokens)).toEqual(utf8(text));
        },
      ),
    ));
});

describe('decodeTokens', () => {
  it('gives nothing for control tokens and ids that stand for nothing', () => {
    const silent = [...Object.values(CONTROL), 100_257, VOCABULARY_SIZE - 1, VOCABULARY_SIZE, 4_294_967_295];
    expect(decodeTokens(silent)).toHaveLength(0);
  });
});

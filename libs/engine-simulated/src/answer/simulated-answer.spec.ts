import { describe, expect, it } from '@jest/globals';
import { decodeTokens, encodeText } from '@roost/prompt';
import fc from 'fast-check';

import { SimulatedAnswer } from './simulated-answer.js';
import { WORDS } from './words.js';

/** Owns: what simulated answers say, and that their text and their tokens are each other's. */

const prompt = fc.array(fc.nat(100_255), { minLength: 1, maxLength: 50 }).map((tokens) => Uint32Array.from(tokens));

function answerTo(tokens: Uint32Array): number[] {
  const answer = new SimulatedAnswer(tokens);
  const whole: number[] = [];
  for (let token = answer.tokenAt(0, false); token !== null; token = answer.tokenAt(whole.length, false)) {
    whole.push(token);
  }
  return whole;
}

const textOf = (tokens: number[]): string => Buffer.from(decodeTokens(tokens)).toString('utf8');

describe('SimulatedAnswer', () => {
  it('is made of words that are one token each, wherever they stand', () => {
    const words = Object.entries(WORDS).flatMap(([kind, list]) =>
      kind === 'opening' ? list.flatMap((word) => [word, ` ${word}`]) : [...list],
    );
    expect(words.filter((word) => encodeText(word).length !== 1)).toEqual([]);
  });

  it('has tokens that any beginning of its text encodes to', () =>
    fc.assert(
      fc.property(prompt, fc.nat(), (tokens, cut) => {
        const whole = answerTo(tokens);
        const part = whole.slice(0, 1 + (cut % whole.length));
        expect(encodeText(textOf(part))).toEqual(part);
      }),
    ));

  it('depends on the prompt, and on nothing else', () =>
    fc.assert(
      fc.property(prompt, prompt, (a, b) => {
        expect(answerTo(a)).toEqual(answerTo(Uint32Array.from(a)));
        const same = a.length === b.length && a.every((token, index) => token === b[index]);
        expect(textOf(answerTo(a)) === textOf(answerTo(b))).toBe(same);
      }),
    ));

  it('has some tens to a couple of hundred tokens, in sentences', () =>
    fc.assert(
      fc.property(prompt, (tokens) => {
        const whole = answerTo(tokens);
        expect(whole.length).toBeGreaterThanOrEqual(30);
        expect(whole.length).toBeLessThanOrEqual(220);
        expect(textOf(whole)).toMatch(/^([A-Z][a-z]+( [a-z]+)+\.( |$))+$/);
      }),
    ));

  it('goes on where the model would end when asked to, in any order', () =>
    fc.assert(
      fc.property(prompt, (tokens) => {
        const whole = answerTo(tokens);
        const answer = new SimulatedAnswer(tokens);
        expect(answer.tokenAt(whole.length + 50, true)).not.toBeNull();
        expect(answer.tokenAt(whole.length, false)).toBeNull();
        expect(whole.map((_, index) => answer.tokenAt(index, true))).toEqual(whole);
      }),
    ));
});

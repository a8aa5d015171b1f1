import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { AnswerText } from './answer-text.js';
import { StopScanner } from './stop-scanner.js';
import { TextStream } from './text-stream.js';

/** Owns: text that arrives in pieces, whole characters, and stop strings. A token is a byte here. */

const bytes = fc.uint8Array({ maxLength: 60, size: 'max' });
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '😀'), maxLength: 40, size: 'max' });
const stops = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '😀'), minLength: 1, maxLength: 4 }), {
  maxLength: 3,
});
const cuts = fc.array(fc.nat(12), { maxLength: 40, size: 'max' });

function* chunked<Items extends { length: number; slice(start: number, end?: number): Items }>(
  items: Items,
  sizes: readonly number[],
): Generator<Items> {
  let start = 0;
  for (const size of sizes) {
    yield items.slice(start, start + size);
    start += size;
  }
  yield items.slice(start);
}

/** The answer by definition: cut before the stop string whose end comes first, of several the longest. */
function cutByDefinition(whole: string, given: readonly string[]): string {
  for (let end = 1; end <= whole.length; end += 1) {
    const found = given.filter((stop) => whole.slice(0, end).endsWith(stop)).map((stop) => stop.length);
    if (found.length > 0) return whole.slice(0, end - Math.max(...found));
  }
  return whole;
}

describe('TextStream', () => {
  it('gives the text of all bytes, however they are cut', () =>
    fc.assert(
      fc.property(
        fc.oneof(
          bytes,
          text.map((each) => new Uint8Array(Buffer.from(each))),
        ),
        cuts,
        (all, sizes) => {
          const stream = new TextStream();
          let got = '';
          for (const chunk of chunked(all, sizes)) got += stream.push(chunk);
          got += stream.flush();
          expect(got).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(all));
        },
      ),
    ));

  it('never gives half a character', () =>
    fc.assert(
      fc.property(text, cuts, (whole, sizes) => {
        const stream = new TextStream();
        for (const chunk of chunked(new Uint8Array(Buffer.from(whole)), sizes)) {
          expect(stream.push(chunk)).not.toMatch(/\uFFFD|^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/);
        }
        expect(stream.flush()).toBe('');
      }),
    ));

  it('keeps a byte order mark', () => {
    expect(new TextStream().push(Buffer.from('\uFEFFa'))).toBe('\uFEFFa');
  });
});

describe('StopScanner', () => {
  it('gives the text up to the first stop, however it is cut, and leaks nothing', () =>
    fc.assert(
      fc.property(text, stops, cuts, (whole, given, sizes) => {
        const scanner = new StopScanner(given);
        const expected = cutByDefinition(whole, given);
        let got = '';
        for (const chunk of chunked(whole, sizes)) {
          got += scanner.push(chunk).text;
          expect(expected.startsWith(got)).toBe(true);
        }
        expect(got + scanner.flush()).toBe(expected);
      }),
      { numRuns: 500 },
    ));

  it('says so at once when it has stopped, and gives nothing from then on', () => {
    const scanner = new StopScanner(['END']);
    expect(scanner.push('one E')).toEqual({ text: 'one ', stopped: false });
    expect(scanner.push('NDtwo')).toEqual({ text: '', stopped: true });
    expect(scanner.push('three')).toEqual({ text: '', stopped: true });
    expect(scanner.flush()).toBe('');
  });

  it('holds back no more than may become a stop', () => {
    const scanner = new StopScanner(['abcd']);
    expect(scanner.push('xxabab').text).toBe('xxab');
    expect(scanner.push('cx').text).toBe('abcx');
  });

  it('is stopped by no string that is empty or no text', () => {
    expect(new StopScanner(['', '\ude00']).push('a😀b')).toEqual({ text: 'a😀b', stopped: false });
  });

  it('finds a long stop that almost comes at every unit', () => {
    const scanner = new StopScanner(['a'.repeat(20_000) + 'b']);
    expect(scanner.push('a'.repeat(400_000)).text).toHaveLength(380_000);
    expect(scanner.push('b')).toEqual({ text: '', stopped: true });
  });
});

describe('AnswerText', () => {
  it('joins both: the decoded answer up to the first stop', () =>
    fc.assert(
      fc.property(text, stops, cuts, (whole, given, sizes) => {
        const answer = new AnswerText({ detokenize: (tokens) => Uint8Array.from(tokens), stop: given });
        let got = '';
        let stopped = false;
        for (const chunk of chunked([...Buffer.from(whole)], sizes)) {
          const piece = answer.push(chunk);
          got += piece.text;
          stopped = piece.stopped;
        }
        got += answer.flush();
        expect(got).toBe(cutByDefinition(whole, given));
        expect(stopped).toBe(got !== whole);
      }),
    ));

  it('reads half a character at the end as U+FFFD', () => {
    const answer = new AnswerText({ detokenize: (tokens) => Uint8Array.from(tokens), stop: ['b'] });
    expect(answer.push([97, 0xf0, 0x9f])).toEqual({ text: 'a', stopped: false });
    expect(answer.flush()).toBe('\uFFFD');
  });
});

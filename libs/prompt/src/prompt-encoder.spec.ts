import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { ByteBoundedLru } from './byte-bounded-lru.js';
import { encodeText } from './encode-text.js';
import { MAX_PAGE, pages } from './pages.js';
import { PromptEncoder } from './prompt-encoder.js';

/** Owns: pages, what is remembered of them, and how much. */

const line = fc.oneof(fc.lorem({ maxCount: 8 }), fc.string({ unit: 'binary', maxLength: 40 }), fc.constant('    '));
const longText = fc.array(line, { minLength: 200, maxLength: 1200, size: 'max' }).map((lines) => lines.join('\n'));
const wordy = fc
  .array(fc.lorem({ maxCount: 8 }), { minLength: 200, maxLength: 600, size: 'max' })
  .map((lines) => lines.join('\n'));

describe('pages', () => {
  it('are the whole text, each within the limit', () =>
    fc.assert(
      fc.property(longText, (text) => {
        const cut = [...pages(text)];
        expect(cut.join('')).toBe(text);
        expect(cut.every((page) => page.length > 0 && page.length <= MAX_PAGE)).toBe(true);
      }),
      { numRuns: 30 },
    ));

  it('stay the same when the text goes on', () =>
    fc.assert(
      fc.property(longText, fc.string(), (text, more) => {
        const before = [...pages(text)].slice(0, -1);
        expect([...pages(text + more)].slice(0, before.length)).toEqual(before);
      }),
      { numRuns: 30 },
    ));

  it('change nothing in the encoding of a text with lines', () =>
    fc.assert(
      fc.property(wordy, (text) => {
        expect([...pages(text)].flatMap((page) => encodeText(page))).toEqual(encodeText(text));
      }),
      { numRuns: 20 },
    ));

  it('never cut a character', () => {
    const text = 'x' + '😀'.repeat(MAX_PAGE);
    expect([...pages(text)].every((page) => page.isWellFormed())).toBe(true);
  });
});

describe('PromptEncoder', () => {
  it('gives the same tokens whatever it remembers', () =>
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.oneof(fc.constantFrom('one two', 'three', ''), fc.nat(9)), { maxLength: 6 })),
        fc.constantFrom(0, 500, 1_000_000),
        (prompts, maxBytes) => {
          const encoder = new PromptEncoder(maxBytes);
          for (const segments of prompts) {
            const plain = segments.flatMap((segment) => (typeof segment === 'number' ? segment : encodeText(segment)));
            expect(encoder.encode(segments)).toEqual(Uint32Array.from(plain));
          }
        },
      ),
    ));
});

describe('ByteBoundedLru', () => {
  it('stays within its bound and forgets what was not asked for longest', () => {
    const cache = new ByteBoundedLru<number>(10);
    cache.set('a', 1, 4);
    cache.set('b', 2, 4);
    cache.get('a');
    cache.set('c', 3, 4);
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
    cache.set('huge', 4, 11);
    expect(cache.get('huge')).toBeUndefined();
    expect(cache.bytes).toBe(8);
  });

  it('refuses a negative bound', () => {
    expect(() => new ByteBoundedLru(-1)).toThrow('maxBytes must not be negative, got -1');
  });
});

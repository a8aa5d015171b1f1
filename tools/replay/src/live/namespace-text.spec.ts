import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { messagesOf } from './namespace-text.js';

/** Owns: that texts share exactly what namespaces share. */

const anyName = fc.string({ minLength: 1, maxLength: 12 });
const anyLength = fc.integer({ min: 1, max: 300 });

describe('messagesOf', () => {
  const wordsOf = (ns: string, len: number): string[] =>
    messagesOf({ prefix: [{ ns, len }] })[0]?.content.split(' ') ?? [];

  it('has a word for each token, the same for everybody', () => {
    fc.assert(
      fc.property(anyName, anyLength, anyLength, (ns, one, other) => {
        const [words, others] = [wordsOf(ns, one), wordsOf(ns, other)];
        expect(words).toHaveLength(one);
        const shared = Math.min(one, other);
        expect(words.slice(0, shared)).toEqual(others.slice(0, shared));
      }),
    );
  });

  it('tells namespaces apart', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyName, { minLength: 2, maxLength: 2 }), ([one = '', other = '']) => {
        expect(wordsOf(one, 64)).not.toEqual(wordsOf(other, 64));
      }),
    );
  });

  it("makes the first part the system message and the others the user's", () => {
    const prefix = [
      { ns: 'system', len: 3 },
      { ns: 'ask', len: 2 },
      { ns: 'history', len: 1 },
    ];
    expect(messagesOf({ prefix }).map(({ role }) => role)).toEqual(['system', 'user', 'user']);
  });
});

// Owns: the text that is signed (reference 4.3).
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { canonicalJson } from './canonical-json.js';

const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) });

describe('canonical JSON', () => {
  it('writes text, integers, booleans and null as Python does', () => {
    expect(canonicalJson({ b: 'a/b', a: 9223372036854775807n, d: -3, c: true, e: null })).toBe(
      '{"a":9223372036854775807,"b":"a/b","c":true,"d":-3,"e":null}',
    );
  });

  it('uses short escapes where there are any, and \\u with lower-case hex elsewhere', () => {
    expect(canonicalJson({ v: '"\\\n\r\t\b\f\u0000\u001f\u007f\u00e9\u2028\u{1f600}' })).toBe(
      '{"v":"\\"\\\\\\n\\r\\t\\b\\f\\u0000\\u001f\\u007f\\u00e9\\u2028\\ud83d\\ude00"}',
    );
  });

  it('writes half a surrogate pair as it is', () => {
    expect(canonicalJson({ v: '\ud83d-\ude00' })).toBe('{"v":"\\ud83d-\\ude00"}');
  });

  it('sorts keys by code point, not by UTF-16 unit', () => {
    expect(canonicalJson({ '\u{1f600}': 1, '\uffff': 2, ab: 3, a: 4 })).toBe(
      '{"a":4,"ab":3,"\\uffff":2,"\\ud83d\\ude00":1}',
    );
  });

  it.each([1.5, 2 ** 53, NaN, Infinity])('refuses the number %p', (value) => {
    expect(() => canonicalJson({ value })).toThrow(RangeError);
  });

  it('is JSON of the same value, in printable ASCII', () => {
    fc.assert(
      fc.property(
        fc.dictionary(anyText, fc.oneof(anyText, fc.maxSafeInteger(), fc.boolean(), fc.constant(null))),
        (fields) => {
          const text = canonicalJson(fields);
          expect(text).toMatch(/^[ -~]*$/);
          expect(JSON.parse(text)).toEqual({ ...fields });
        },
      ),
    );
  });

  it('keeps every digit of a 63-bit integer', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }), (id) => {
        expect(canonicalJson({ id })).toBe(`{"id":${id.toString()}}`);
      }),
    );
  });
});

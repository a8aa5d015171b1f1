// Owns: where a body stops being JSON, and how its members are written.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { membersOf, writtenValue } from './members.js';
import { locateSyntaxError } from './syntax-error.js';

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON, or JSON with one piece of it replaced. */
const nearlyJson = fc
  .tuple(
    fc.json(),
    fc.nat(),
    fc.nat(3),
    fc.constantFrom(
      '',
      '"',
      '\\',
      '\\u12',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '0',
      '-',
      '.5',
      'e',
      'true',
      'nul',
      '\n',
      '\u0001',
    ),
  )
  .map(([text, at, length, piece]) => {
    const start = at % (text.length + 1);
    return text.slice(0, start) + piece + text.slice(start + length);
  });

describe('the place of a syntax error', () => {
  it.each([
    ['', 0],
    ['  ', 2],
    ['{', 1],
    ['{"a": xyz}', 6],
    ['{"a":1 "b":2}', 7],
    ['{"a":1,}', 7],
    ['{a:1}', 1],
    ['[1,]', 3],
    ['[1}', 2],
    ['{"a"]', 4],
    ['{]', 1],
    ['[}', 1],
    ['[01]', 2],
    ['[1', 2],
    ['"a', 2],
    ['"a\nb"', 2],
    ['"\\x"', 1],
    ['"\\u00g0"', 1],
    ['{} {}', 3],
    ['\ufeff{}', 0],
    ['nul', 0],
    ["{'a':1}", 1],
  ])('of %p is %p', (text, position) => {
    expect(locateSyntaxError(text)?.position).toBe(position);
  });

  it('is told by line and column, too', () => {
    expect(locateSyntaxError('{\n  "a": 1,\n  "b" 2\n}')).toEqual({ position: 18, line: 3, column: 7 });
  });

  it('exists exactly when JSON.parse fails', () => {
    fc.assert(
      fc.property(nearlyJson, (text) => {
        expect(locateSyntaxError(text) === null).toBe(parses(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('is found below any depth', () => {
    expect(locateSyntaxError('['.repeat(200_000))?.position).toBe(200_000);
  });
});

describe('the members of an object', () => {
  it('are given as they are written', () => {
    const text = ' { "a" : 1.50 , "b\\"c":{"x":"}\\\\"}, "\\u0061":[ {"y":"]"} ] , "d":-12345678901234567890}';
    expect([...membersOf(text)]).toEqual([
      { key: 'a', text: '"a" : 1.50', valueText: '1.50' },
      { key: 'b"c', text: '"b\\"c":{"x":"}\\\\"}', valueText: '{"x":"}\\\\"}' },
      { key: 'a', text: '"\\u0061":[ {"y":"]"} ]', valueText: '[ {"y":"]"} ]' },
      { key: 'd', text: '"d":-12345678901234567890', valueText: '-12345678901234567890' },
    ]);
    expect(writtenValue(text, 'a')).toBe('[ {"y":"]"} ]');
    expect(writtenValue(text, 'z')).toBeUndefined();
    expect([...membersOf(' { } ')]).toEqual([]);
  });

  it('are all there, whatever the object and its spacing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), fc.nat(3), (object, indent) => {
        const members = [...membersOf(JSON.stringify(object, null, indent))];
        const parsed = members.map(({ key, valueText }) => [key, JSON.parse(valueText) as unknown]);
        expect(parsed).toEqual(Object.entries(JSON.parse(JSON.stringify(object)) as object));
      }),
    );
  });
});

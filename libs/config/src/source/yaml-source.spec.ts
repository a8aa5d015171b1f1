import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { ConfigError } from '../config-error.js';
import { refusalOf } from '../testing/refusal-of.js';

import { parseYaml } from './yaml-source.js';

// YAML texts: what they give, where a key stands, and that no fault quotes the text.

describe('parseYaml', () => {
  it.each(['', '---', '# nothing', 'null'])('reads %j as an empty mapping', (text) => {
    expect(parseYaml(text, 'file').content).toEqual({});
  });

  it('speaks YAML 1.1, as the loader of upstream does', () => {
    const text = 'base: &b {x: 1}\na: yes\nb: off\nc: 1_000\nd: {<<: *b, y: 2}\ne: 1e9';
    expect(parseYaml(text, 'file').content).toMatchObject({ a: true, b: false, c: 1000, d: { x: 1, y: 2 }, e: 1e9 });
  });

  it('knows the line of a key, or of what is around it', () => {
    const { lineOf } = parseYaml('a: 1\nb:\n  c:\n    - x\n    - y\n', 'file');
    expect(lineOf(['a'])).toBe(1);
    expect(lineOf(['b', 'c'])).toBe(3);
    expect(lineOf(['b', 'c', '1'])).toBe(5);
    expect(lineOf(['b', 'absent', 'deeper'])).toBe(2);
    expect(lineOf(['absent'])).toBeNull();
  });

  it.each([
    ['a: 1\nb: 2\na: 3', 3, 'invalid YAML: a key is given twice'],
    ['a: {b: 1, b: 2}', 1, 'invalid YAML: a key is given twice'],
    ['a: "open', 1, 'invalid YAML: a quote, bracket, comma or colon is missing'],
    ['a:\n\tb: 1', 2, 'invalid YAML: a tab is used for indentation'],
    ['a: 1\n---\nb: 2', 2, 'invalid YAML: the file holds more than one document'],
    ['a: *nowhere', null, 'invalid YAML: an alias refers to no anchor'],
    ['- a', null, 'the file must be a mapping of keys to values'],
    ['text', null, 'the file must be a mapping of keys to values'],
    ['5', null, 'the file must be a mapping of keys to values'],
  ])('refuses %j', (text, line, message) => {
    expect(refusalOf(() => parseYaml(text, 'file')).problems[0]).toEqual({ path: '', message, line });
  });

  it.each([
    [
      'a:\n  b: ["x", "y"\n  c: 1\nd: [\n',
      [[3, 'invalid YAML: the indentation does not fit, or a bracket before it is not closed']],
    ],
    [
      'a: 1\na: 2\nb: 1\nb: 2',
      [
        [2, 'invalid YAML: a key is given twice'],
        [4, 'invalid YAML: a key is given twice'],
      ],
    ],
  ])('tells of a fault, and not of what follows from it: %j', (text, told) => {
    const { problems } = refusalOf(() => parseYaml(text, 'file'));
    expect(problems.map(({ line, message }) => [line, message])).toEqual(told);
  });

  it('refuses a text that grows without bound', () => {
    const levels = Array.from(
      { length: 9 },
      (_, i) => `l${String(i + 1)}: &l${String(i + 1)} [${`*l${String(i)},`.repeat(9)}]`,
    );
    const text = ['l0: &l0 [x]', ...levels].join('\n');
    expect(refusalOf(() => parseYaml(text, 'file')).problems[0]?.message).toMatch(/refers to itself too often/);
  });

  it('quotes nothing of the text in an error, whatever is wrong with it', () => {
    const secret = 'Hunter2Hunter2';
    const piece = fc.constantFrom(
      secret,
      'key',
      ':',
      ' ',
      '\n',
      '\t',
      '"',
      "'",
      '{',
      '}',
      '[',
      ']',
      '&',
      '*',
      '!',
      '|',
      '-',
      '\\q',
      '%',
      '@',
      '`',
      '?',
      ',',
      '#',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        expect(faultOf(pieces.join(''))).not.toContain('Hunter');
      }),
      { numRuns: 2000 },
    );
  });
});

/** What is said of a text; nothing when it is fine. */
function faultOf(text: string): string {
  try {
    parseYaml(text, 'file');
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return String(error);
    throw error;
  }
}

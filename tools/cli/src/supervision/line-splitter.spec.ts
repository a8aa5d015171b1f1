import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { LineSplitter } from './line-splitter.js';

function linesOf(chunks: readonly Buffer[]): readonly string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

describe('LineSplitter', () => {
  it('gives the same lines however the bytes are cut', () => {
    const line = fc.string({ unit: 'grapheme' }).filter((text) => text !== '' && !/[\r\n]/.test(text));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(40)), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        const chunks: Buffer[] = [];
        let rest = bytes;
        for (const cut of cuts) {
          chunks.push(rest.subarray(0, cut));
          rest = rest.subarray(cut);
        }
        expect(linesOf([...chunks, rest])).toEqual(lines);
      }),
    );
  });

  it('hands on a last line without an end, and drops carriage returns', () => {
    expect(linesOf([Buffer.from('a\r\nb')])).toEqual(['a', 'b']);
  });

  it('hands on an endless line in pieces instead of keeping it', () => {
    const pieces = linesOf(Array.from({ length: 10 }, () => Buffer.alloc(30_000, 'x')));
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.join('')).toHaveLength(300_000);
  });
});

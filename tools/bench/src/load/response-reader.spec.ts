// Owns: where answers end, however the bytes are cut.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { ResponseReader } from './response-reader.js';

const withLength = (body: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;
const chunked = (chunks: readonly string[]): string =>
  `HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n${[...chunks, '']
    .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    .join('')}`;

function readInPieces(answer: string, cuts: readonly number[]): { body: string; status: number; ends: number[] } {
  let body = '';
  const reader = new ResponseReader((piece) => (body += piece.toString('latin1')));
  const places = [0, ...cuts.map((cut) => cut % answer.length).sort((a, b) => a - b), answer.length];
  const ends: number[] = [];
  for (let at = 1; at < places.length; at += 1) {
    const piece = answer.slice(places[at - 1], places[at]);
    if (reader.push(Buffer.from(piece, 'latin1'))) ends.push(places[at] ?? 0);
  }
  return { body, status: reader.status, ends };
}

describe('a reader of answers', () => {
  const text = fc.string({ unit: 'binary-ascii', minLength: 1 });

  it('finds the end of an answer with a length, and of an empty one', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.constant('')), fc.array(fc.nat()), (body, cuts) => {
        const answer = withLength(body);
        expect(readInPieces(answer, cuts)).toEqual({ body, status: 200, ends: [answer.length] });
      }),
    );
  });

  it('finds the end of an answer in chunks', () => {
    fc.assert(
      fc.property(fc.array(text), fc.array(fc.nat()), (chunks, cuts) => {
        const answer = chunked(chunks);
        expect(readInPieces(answer, cuts)).toEqual({ body: chunks.join(''), status: 201, ends: [answer.length] });
      }),
    );
  });

  it('reads one answer after the other', () => {
    let body = '';
    const reader = new ResponseReader((piece) => (body += piece.toString()));
    expect(reader.push(Buffer.from(withLength('one')))).toBe(true);
    expect(reader.push(Buffer.from(chunked(['tw', 'o'])))).toBe(true);
    expect(body).toBe('onetwo');
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { framePrefix, FrameReader } from './message-frames.js';

// Owns: that messages come out as they went in, however they are cut up on the way.

const message = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));

/** Bytes, cut at these places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return cuts.slice(1).map((end, at) => bytes.subarray(cuts[at], end));
}

describe('FrameReader', () => {
  it('gives every message whole', () => {
    fc.assert(
      fc.property(fc.array(message), fc.array(fc.nat()), (messages, places) => {
        const bytes = Buffer.concat(messages.flatMap((each) => [framePrefix([each]), each]));
        const reader = new FrameReader();
        const read = cut(bytes, places).flatMap((piece) => reader.push(piece));
        expect(read.map((each) => each.toString('hex'))).toEqual(messages.map((each) => each.toString('hex')));
      }),
    );
  });

  it('counts the parts of a message together', () => {
    expect([...framePrefix([Buffer.alloc(200), Buffer.alloc(100)])]).toEqual([0, 0, 0, 1, 44]);
  });

  it('does not take a compressed message for another', () => {
    expect(() => new FrameReader().push(Buffer.from([1, 0, 0, 0, 1, 7]))).toThrow('compressed');
  });
});

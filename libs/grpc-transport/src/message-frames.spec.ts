import { describe, expect, it } from '@jest/globals';
import { giveBack } from '@roost/held-bytes';
import fc from 'fast-check';

import { framePrefix, FrameReader } from './message-frames.js';

// Owns: that messages come out as they went in, however they are cut up on the way.

const message = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
/** Long enough for memory of its own. */
const longMessage = fc.nat({ max: 100_000 }).map((length) => Buffer.alloc(length, `${String(length)} `));

/** Bytes, cut at these places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return cuts.slice(1).map((end, at) => bytes.subarray(cuts[at], end));
}

describe('FrameReader', () => {
  it('gives every message whole', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(message, longMessage)), fc.array(fc.nat()), (messages, places) => {
        const bytes = Buffer.concat(messages.flatMap((each) => [framePrefix([each]), each]));
        const reader = new FrameReader();
        const read = cut(bytes, places).flatMap((piece) => reader.push(piece));
        expect(read.map((each) => each.toString('hex'))).toEqual(messages.map((each) => each.toString('hex')));
        expect(reader.isWithinMessage).toBe(false);
      }),
    );
  });

  it.each([1, 4, 5, 6, 99_999])('knows that a message of 100,000 bytes has begun after %d bytes', (length) => {
    const reader = new FrameReader();
    const bytes = Buffer.concat([framePrefix([Buffer.alloc(99_995)]), Buffer.alloc(99_995)]);
    reader.push(bytes.subarray(0, length));
    expect(reader.isWithinMessage).toBe(true);
    reader.push(bytes.subarray(length));
    expect(reader.isWithinMessage).toBe(false);
  });

  it('gives a long message that comes in pieces in memory that nothing else is in', () => {
    const [long, next] = [Buffer.alloc(100_000, 'a'), Buffer.from('next')];
    const bytes = Buffer.concat([framePrefix([long]), long, framePrefix([next]), next]);
    const reader = new FrameReader();
    const messages = cut(bytes, [60_000]).flatMap((piece) => reader.push(piece));
    giveBack(messages[0] ?? Buffer.alloc(0));
    expect(messages.map((each) => each.toString())).toEqual(['', 'next']);
    expect(bytes.length).toBe(100_014);
  });

  it('counts the parts of a message together', () => {
    expect([...framePrefix([Buffer.alloc(200), Buffer.alloc(100)])]).toEqual([0, 0, 0, 1, 44]);
  });

  it('does not take a compressed message for another', () => {
    expect(() => new FrameReader().push(Buffer.from([1, 0, 0, 0, 1, 7]))).toThrow('compressed');
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { BodyBuilder, ReceivedBody } from './received-body.js';

// Owns: that a body is what the client sent however it came in, and that its memory is there as long as anybody holds it.

const LONG = 100_000;

function bodyOf(bytes: Buffer, announced = bytes.length, piece = 30_000): ReceivedBody {
  const builder = new BodyBuilder(announced);
  for (let at = 0; at < bytes.length; at += piece) builder.add(bytes.subarray(at, at + piece));
  return builder.finish();
}

describe('BodyBuilder', () => {
  it('puts pieces of any length together, whatever length was announced', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 20_000 }), { maxLength: 30 }),
        fc.constantFrom('right', 'none', 'less', 'more'),
        (lengths, announcement) => {
          const pieces = lengths.map((length, at) => Buffer.alloc(length, at + 1));
          const whole = Buffer.concat(pieces);
          const announced = { right: whole.length, none: NaN, less: whole.length >> 1, more: 3_000_000 }[announcement];
          const builder = new BodyBuilder(announced);
          for (const piece of pieces) builder.add(piece);
          expect(builder.length).toBe(whole.length);
          expect(builder.finish().bytes.equals(whole)).toBe(true);
        },
      ),
    );
  });

  it('takes no more memory for a long body than a megabyte, or twice what has come', () => {
    const builder = new BodyBuilder(1_000_000_000);
    const memory = (): number => builder.finish().bytes.buffer.byteLength;
    builder.add(Buffer.alloc(10));
    expect(memory()).toBe(1_024 * 1_024);
    builder.add(Buffer.alloc(1_500_000));
    expect(memory()).toBeLessThanOrEqual(3_000_020);
  });

  it('is not changed by what becomes of the pieces', () => {
    const piece = Buffer.from('abc');
    const builder = new BodyBuilder(3);
    builder.add(piece);
    piece.fill('x');
    expect(builder.finish().bytes.toString()).toBe('abc');
  });
});

describe('ReceivedBody', () => {
  it('keeps its bytes until the last holder gives them back', () => {
    const body = bodyOf(Buffer.alloc(LONG, 'a'));
    const [one, other] = [body.hold(), body.hold()];
    body.release();
    one();
    // Twice from one holder is once.
    one();
    expect(body.bytes.toString()).toBe('a'.repeat(LONG));
    other();
    expect(body.bytes.length).toBe(0);
    expect(body.bytes.buffer.byteLength).toBe(0);
  });

  it('gives the memory of a body back that came without its length', () => {
    const body = bodyOf(Buffer.alloc(LONG, 'a'), NaN, 100);
    expect(body.bytes.length).toBe(LONG);
    body.release();
    expect(body.bytes.buffer.byteLength).toBe(0);
  });

  it('leaves memory alone that it shares with others', () => {
    const short = bodyOf(Buffer.from('short'));
    const others = new ReceivedBody(Buffer.alloc(LONG, 'a'));
    for (const body of [short, others]) body.release();
    expect(short.bytes.toString()).toBe('short');
    expect(others.bytes.length).toBe(LONG);
  });
});

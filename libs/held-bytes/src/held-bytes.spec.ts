import { describe, expect, it } from '@jest/globals';

import { BytesBuilder } from './bytes-builder.js';
import { HeldBytes } from './held-bytes.js';

// Owns: that bytes are there as long as anybody holds them, and no longer; and that nobody else's memory is touched.

const LONG = 100_000;

function heldOf(bytes: Buffer, announced = bytes.length, piece = 30_000): HeldBytes {
  const builder = new BytesBuilder(announced);
  for (let at = 0; at < bytes.length; at += piece) builder.add(bytes.subarray(at, at + piece));
  return new HeldBytes(builder.finish());
}

describe('HeldBytes', () => {
  it('keeps its bytes until the last holder gives them back', () => {
    const body = heldOf(Buffer.alloc(LONG, 'a'));
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

  it('cannot be held again when they may be gone', () => {
    const body = heldOf(Buffer.alloc(LONG, 'a'));
    body.release();
    expect(() => body.hold()).toThrow('cannot be held again');
  });

  it('gives the memory of a body back that came without its length', () => {
    const body = heldOf(Buffer.alloc(LONG, 'a'), NaN, 100);
    expect(body.bytes.length).toBe(LONG);
    body.release();
    expect(body.bytes.buffer.byteLength).toBe(0);
  });

  it('leaves memory alone that it shares with others', () => {
    const short = heldOf(Buffer.from('short'));
    const others = new HeldBytes(Buffer.alloc(LONG, 'a'));
    for (const held of [short, others]) held.release();
    expect(short.bytes.toString()).toBe('short');
    expect(others.bytes.length).toBe(LONG);
  });
});

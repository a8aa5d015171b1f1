import { describe, expect, it } from '@jest/globals';

import { BytesBuilder } from './bytes-builder.js';
import { giveBack, keep } from './own-memory.js';

// Owns: that bytes are there as long as anybody keeps them, and no longer; and that nobody else's memory is touched.

const LONG = 100_000;

function built(bytes: Buffer, announced = bytes.length, piece = 30_000): Buffer {
  const builder = new BytesBuilder(announced);
  for (let at = 0; at < bytes.length; at += piece) builder.add(bytes.subarray(at, at + piece));
  return builder.finish();
}

describe('bytes that are given back', () => {
  it('are gone at once where nobody keeps them', () => {
    const bytes = built(Buffer.alloc(LONG, 'a'));
    giveBack(bytes);
    expect([bytes.length, bytes.buffer.byteLength]).toEqual([0, 0]);
    expect(() => giveBack(bytes)).not.toThrow();
  });

  it('stay until the last has done who keeps them, or a part of them', () => {
    const bytes = built(Buffer.alloc(LONG, 'a'));
    const [one, other] = [keep(bytes), keep(bytes.subarray(7, 9))];
    giveBack(bytes);
    one();
    // Twice from one is once.
    one();
    expect(bytes.toString()).toBe('a'.repeat(LONG));
    other();
    expect([bytes.length, bytes.buffer.byteLength]).toEqual([0, 0]);
  });

  it('stay when they were kept and let go before', () => {
    const bytes = built(Buffer.alloc(LONG, 'a'));
    keep(bytes)();
    expect(bytes.length).toBe(LONG);
  });

  it('cannot be kept when they are gone', () => {
    const bytes = built(Buffer.alloc(LONG, 'a'));
    giveBack(bytes);
    expect(() => keep(bytes)).toThrow('were given back');
  });

  it('are gone too when they came without their length', () => {
    const bytes = built(Buffer.alloc(LONG, 'a'), NaN, 100);
    expect(bytes.length).toBe(LONG);
    giveBack(bytes);
    expect(bytes.buffer.byteLength).toBe(0);
  });

  it('stay where they share memory with others', () => {
    const short = built(Buffer.from('short'));
    const others = Buffer.alloc(LONG, 'a');
    for (const bytes of [short, others]) {
      keep(bytes)();
      giveBack(bytes);
    }
    expect(short.toString()).toBe('short');
    expect(others.length).toBe(LONG);
  });
});

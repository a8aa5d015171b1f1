import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { BytesBuilder } from './bytes-builder.js';

// Owns: that bytes come out as they came in, in whatever pieces and whatever was announced.

describe('BytesBuilder', () => {
  it('puts pieces of any length together, whatever length was announced', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 20_000 }), { maxLength: 30 }),
        fc.constantFrom('right', 'none', 'less', 'more'),
        (lengths, announcement) => {
          const pieces = lengths.map((length, at) => Buffer.alloc(length, at + 1));
          const whole = Buffer.concat(pieces);
          const announced = { right: whole.length, none: NaN, less: whole.length >> 1, more: 3_000_000 }[announcement];
          const builder = new BytesBuilder(announced);
          for (const piece of pieces) builder.add(piece);
          expect(builder.length).toBe(whole.length);
          expect(builder.finish().equals(whole)).toBe(true);
        },
      ),
    );
  });

  it('takes no more memory for a long text than a megabyte, or twice what has come', () => {
    const builder = new BytesBuilder(1_000_000_000);
    const memory = (): number => builder.finish().buffer.byteLength;
    builder.add(Buffer.alloc(10));
    expect(memory()).toBe(1_024 * 1_024);
    builder.add(Buffer.alloc(1_500_000));
    expect(memory()).toBeLessThanOrEqual(3_000_020);
  });

  it('gives its memory back when nobody wants what has come', () => {
    const builder = new BytesBuilder(200_000);
    builder.add(Buffer.alloc(100_000));
    const { buffer } = builder.finish();
    builder.discard();
    expect(buffer.byteLength).toBe(0);
  });

  it('is not changed by what becomes of the pieces', () => {
    const piece = Buffer.from('abc');
    const builder = new BytesBuilder(3);
    builder.add(piece);
    piece.fill('x');
    expect(builder.finish().toString()).toBe('abc');
  });
});

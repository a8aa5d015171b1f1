import { describe, expect, it } from '@jest/globals';
import { TokenChain } from '@roost/block-cache';
import { type KvDescription, KvMismatch } from '@roost/engine';
import fc from 'fast-check';

import { KvBytes } from './kv-bytes.js';
import { type ExpectedKv, KvCheck } from './kv-check.js';

/** Owns: the bytes of a cache, and that a receiver accepts the right ones only. */

const B = 4;
const tokens = fc.array(fc.nat(5), { minLength: 1, maxLength: 20 });
const chainOf = (list: readonly number[], salt?: string): TokenChain => new TokenChain(Uint32Array.from(list), B, salt);

function all(bytes: KvBytes, sizes: readonly number[] = []): Uint8Array {
  const chunks: Uint8Array[] = [];
  for (let index = 0; ; index += 1) {
    const chunk = bytes.next(sizes[index] ?? 4096);
    if (chunk.length === 0) return new Uint8Array(Buffer.concat(chunks));
    chunks.push(chunk);
  }
}

describe('KvBytes', () => {
  it('are the same however they are asked for, and a suffix of themselves when the beginning is left out', () =>
    fc.assert(
      fc.property(
        tokens,
        fc.constantFrom(4, 12, 64),
        fc.nat(20),
        fc.array(fc.integer({ min: 1, max: 30 })),
        (list, bytesPerToken, skip, sizes) => {
          const start = Math.min(skip, list.length);
          const whole = all(new KvBytes(chainOf(list), bytesPerToken, 0, list.length));
          expect(whole).toHaveLength(list.length * bytesPerToken);
          const quads = sizes.map((size) => size * 4);
          expect(all(new KvBytes(chainOf(list), bytesPerToken, start, list.length), quads)).toEqual(
            whole.slice(start * bytesPerToken),
          );
        },
      ),
    ));

  it('are shared by two sequences for exactly their common prefix', () =>
    fc.assert(
      fc.property(tokens, tokens, (a, b) => {
        const [left, right] = [a, b].map((list) =>
          Buffer.from(all(new KvBytes(chainOf(list), 64, 0, list.length))).toString('hex'),
        );
        const differs = a.findIndex((token, index) => token !== b[index]);
        const common = differs < 0 ? Math.min(a.length, b.length) : differs;
        for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
          const [start, end] = [index * 128, index * 128 + 128];
          expect(left?.slice(start, end) === right?.slice(start, end)).toBe(index < common);
        }
      }),
    ));

  it('differ under another salt', () => {
    expect(all(new KvBytes(chainOf([1], 'a'), 64, 0, 1))).not.toEqual(all(new KvBytes(chainOf([1], 'b'), 64, 0, 1)));
  });
});

describe('KvCheck', () => {
  const expected: ExpectedKv = {
    engine: 'simulated',
    model: 'm',
    layout: 'l',
    chain: chainOf([1, 2, 3, 4, 5, 6]),
    numTokens: 6,
    cachedTokens: 4,
    bytesPerToken: 8,
  };
  const description: KvDescription = {
    engine: 'simulated',
    model: 'm',
    layout: 'l',
    numTokens: 6,
    skippedTokens: 4,
    numBytes: 16,
  };
  const right = (): Uint8Array => all(new KvBytes(expected.chain, 8, 4, 6));

  it('accepts the right bytes in chunks of any size', () =>
    fc.assert(
      fc.property(fc.nat(4), fc.array(fc.integer({ min: 1, max: 9 })), (skippedTokens, sizes) => {
        const bytes = all(new KvBytes(expected.chain, 8, skippedTokens, 6));
        const check = new KvCheck(expected, { ...description, skippedTokens, numBytes: bytes.length });
        let start = 0;
        for (const size of sizes) {
          check.take(bytes.subarray(start, start + size));
          start += size;
        }
        check.take(bytes.subarray(start));
        expect(() => check.finish()).not.toThrow();
      }),
    ));

  it.each<[Partial<KvDescription>, string]>([
    [{ engine: 'other' }, 'engine is "other", expected "simulated"'],
    [{ model: 'n' }, 'model is "n", expected "m"'],
    [{ layout: 'k' }, 'layout is "k", expected "l"'],
    [{ numTokens: 7 }, 'numTokens is 7, expected 6'],
    [{ skippedTokens: 5 }, 'skippedTokens is 5, but only 4 are cached here'],
    [{ skippedTokens: -1 }, 'skippedTokens is -1, but only 4 are cached here'],
    [{ skippedTokens: Number.NaN }, 'skippedTokens is NaN, but only 4 are cached here'],
    [{ numBytes: 17 }, 'numBytes is 17, expected 16'],
  ])('refuses a description with %j', (change, message) => {
    expect(() => new KvCheck(expected, { ...description, ...change })).toThrow(new KvMismatch(message));
  });

  it('names the token whose bytes differ, wherever the fault is', () =>
    fc.assert(
      fc.property(fc.nat(15), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bytes = right();
        bytes[at] = (bytes[at] ?? 0) ^ flip;
        const check = new KvCheck(expected, description);
        expect(() => check.take(bytes)).toThrow(`the bytes of token ${String(4 + Math.floor(at / 8))} of 6 differ`);
      }),
    ));

  it('refuses too few bytes and too many', () => {
    const short = new KvCheck(expected, description);
    short.take(right().subarray(0, 15));
    expect(() => short.finish()).toThrow('numBytes received is 15, expected 16');
    const long = new KvCheck(expected, description);
    long.take(right());
    expect(() => long.take(Uint8Array.of(0))).toThrow('more than the 16 bytes expected');
  });
});

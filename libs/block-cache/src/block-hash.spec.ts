import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { blockHash, blockHashes, rootHash } from './block-hash.js';
import { TokenChain } from './token-chain.js';

/** Owns: what equal hashes mean, and that a growing chain agrees with a whole one. */

const tokens = fc.array(fc.nat(3), { maxLength: 40 }).map((list) => Uint32Array.from(list));
const salt = fc.option(fc.constantFrom('', 'a', 'b'), { nil: undefined });

describe('block hashes', () => {
  it('are XXH64 with the parent as the seed', () => {
    // Computed with a separate implementation that reproduces XXH64's published vectors.
    const words = Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    expect(blockHash(0n, new Uint32Array(0))).toBe(0xef46db3751d8e999n);
    expect(blockHashes(Uint32Array.of(...words, ...words), 8)).toEqual([0x09a35922a3521665n, 0x2ee9eba47927eabdn]);
    expect(rootHash('tenant-a')).toBe(0x24cbcbec76c2694an);
  });

  it('agree on exactly the blocks of the common prefix', () =>
    fc.assert(
      fc.property(tokens, tokens, salt, salt, (a, b, saltA, saltB) => {
        const common = a.findIndex((token, index) => token !== b[index]);
        const length = common < 0 ? Math.min(a.length, b.length) : common;
        const left = blockHashes(a, 4, saltA);
        const right = blockHashes(b, 4, saltB);
        const shared = left.filter((hash, index) => hash === right[index]);
        expect(shared).toHaveLength(saltA === saltB ? Math.floor(Math.min(length, b.length) / 4) : 0);
      }),
    ));

  it('do not exist for a partial block', () => {
    expect(blockHashes(Uint32Array.of(1, 2, 3), 4)).toEqual([]);
  });
});

describe('TokenChain', () => {
  it('has the hashes of its tokens, however it came to them', () =>
    fc.assert(
      fc.property(tokens, tokens, salt, (prompt, rest, anySalt) => {
        const chain = new TokenChain(prompt, 4, anySalt);
        for (const token of rest) chain.push(token);
        const whole = Uint32Array.from([...prompt, ...rest]);
        expect(chain.length).toBe(whole.length);
        expect(chain.slice(0, chain.length)).toEqual(whole);
        expect(chain.hashes).toEqual(blockHashes(whole, 4, anySalt));
        expect(chain.parentOf(0)).toBe(rootHash(anySalt));
      }),
    ));

  it('does not see later changes of the prompt that it was made of', () => {
    const prompt = Uint32Array.of(1, 2, 3, 4);
    const chain = new TokenChain(prompt, 4);
    prompt[0] = 9;
    expect(chain.slice(0, 1)).toEqual(Uint32Array.of(1));
  });

  it('refuses blocks of no tokens', () => {
    expect(() => new TokenChain(new Uint32Array(0), 0)).toThrow('tokensPerBlock must be a positive integer, got 0');
  });
});

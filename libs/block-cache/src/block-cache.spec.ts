import { describe, expect, it } from '@jest/globals';

import { BlockCache, type BlockCacheOptions } from './block-cache.js';
import type { BlockEvent } from './block-event.js';
import { blockHashes } from './block-hash.js';
import type { BlockLease } from './block-lease.js';

/** Owns: each rule of the cache by an example. Random histories are in `block-cache.properties.spec.ts`. */

const B = 4;
const hashesOf = (...tokens: number[]): bigint[] => blockHashes(Uint32Array.from(tokens), B);
const ONE = hashesOf(1, 1, 1, 1);
const ONE_TWO = hashesOf(1, 1, 1, 1, 2, 2, 2, 2);
const THREE = hashesOf(3, 3, 3, 3);

function makeCache(options: Partial<BlockCacheOptions> = {}): BlockCache {
  return new BlockCache({ capacityBlocks: 4, tokensPerBlock: B, ...options });
}

function lease(
  cache: BlockCache,
  hashes: readonly bigint[],
  maxTokens: number,
  reusableTokens = maxTokens,
): BlockLease {
  const admission = cache.admit({ hashes, maxTokens, reusableTokens });
  if (admission.outcome !== 'admitted') throw new Error(admission.outcome);
  return admission.lease;
}

describe('BlockCache', () => {
  it('finds what an earlier sequence has computed', () => {
    const cache = makeCache();
    const first = lease(cache, ONE_TWO, 8);
    first.cover(8);
    first.release();
    expect(cache.match(ONE_TWO)).toBe(2);
    expect(lease(cache, ONE_TWO, 8).cachedTokens).toBe(8);
  });

  it('leaves the block of the last token to be computed when asked to', () => {
    const cache = makeCache();
    const first = lease(cache, ONE_TWO, 8);
    first.cover(8);
    expect(lease(cache, ONE_TWO, 8, 7).cachedTokens).toBe(4);
  });

  it('shares a block that two sequences compute at the same time', () => {
    const cache = makeCache();
    const [a, b] = [lease(cache, ONE, 4), lease(cache, ONE, 4)];
    a.cover(4);
    b.cover(4);
    expect(cache.usage).toMatchObject({ pinned: 1, reserved: 0 });
    a.release();
    expect(cache.usage).toMatchObject({ pinned: 1, cached: 0 });
    b.release();
    expect(cache.usage).toMatchObject({ pinned: 0, cached: 1 });
  });

  it('counts a partial last block, but does not store it', () => {
    const cache = makeCache();
    const partial = lease(cache, ONE_TWO, 8);
    partial.cover(5);
    expect(cache.usage).toMatchObject({ pinned: 2, reserved: 0 });
    partial.release();
    expect(cache.usage).toMatchObject({ pinned: 0, cached: 1 });
  });

  it('promises room for the largest size, and frees the promise with the lease', () => {
    const cache = makeCache();
    const large = lease(cache, ONE, 13);
    expect(cache.usage).toMatchObject({ pinned: 0, reserved: 4 });
    expect(cache.admit({ hashes: THREE, maxTokens: 4, reusableTokens: 4 }).outcome).toBe('full');
    large.release();
    expect(lease(cache, THREE, 4).cachedTokens).toBe(0);
  });

  it('tells what can never fit from what has to wait', () => {
    const cache = makeCache();
    expect(cache.admit({ hashes: [], maxTokens: 17, reusableTokens: 17 }).outcome).toBe('impossible');
    expect(cache.canEverFit(16)).toBe(true);
    expect(cache.canEverFit(17)).toBe(false);
  });

  it('counts blocks that others pin already only once', () => {
    const cache = makeCache();
    lease(cache, ONE_TWO, 8).cover(8);
    expect(lease(cache, ONE_TWO, 16).cachedTokens).toBe(8);
    expect(cache.usage).toMatchObject({ pinned: 2, reserved: 2 });
  });

  it("evicts what was let go of first, and a sequence's end before its beginning", () => {
    const removed: bigint[] = [];
    const onEvent = (event: BlockEvent): void => {
      if (event.type === 'removed') removed.push(event.hash);
    };
    const cache = makeCache({ onEvent });
    const old = lease(cache, ONE_TWO, 8);
    const newer = lease(cache, THREE, 4);
    old.cover(8);
    newer.cover(4);
    old.release();
    newer.release();
    lease(cache, hashesOf(...Array<number>(16).fill(5)), 16).cover(16);
    expect(removed).toEqual([ONE_TWO[1], ONE_TWO[0], THREE[0]]);
  });

  it('tells the parent of a stored block, null for a first one', () => {
    const events: BlockEvent[] = [];
    const cache = makeCache({ onEvent: (event) => events.push(event) });
    lease(cache, ONE_TWO, 8).cover(8);
    expect(events).toEqual([
      { type: 'stored', hash: ONE_TWO[0], parent: null },
      { type: 'stored', hash: ONE_TWO[1], parent: ONE_TWO[0] },
    ]);
  });

  it('stores nothing without reuse, and still counts', () => {
    const cache = makeCache({ reuse: false });
    const only = lease(cache, ONE_TWO, 8);
    only.cover(8);
    expect(cache.usage).toMatchObject({ pinned: 2, reserved: 0 });
    only.release();
    expect(cache.usage).toMatchObject({ pinned: 0, cached: 0 });
    expect(cache.match(ONE_TWO)).toBe(0);
  });

  it('refuses to let a lease grow past its room or after its end', () => {
    const cache = makeCache();
    const small = lease(cache, ONE, 4);
    expect(() => small.cover(5)).toThrow('a lease of 1 blocks of 4 cannot cover 5 tokens');
    small.release();
    small.release();
    expect(() => small.cover(1)).toThrow('the lease was released');
    expect(cache.usage).toMatchObject({ pinned: 0, reserved: 0 });
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses a capacity of %p', (capacity) => {
    expect(() => makeCache({ capacityBlocks: capacity })).toThrow(
      `capacityBlocks must be a positive integer, got ${String(capacity)}`,
    );
  });
});

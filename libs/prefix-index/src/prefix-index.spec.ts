// Single promises of the index that the model does not show: claims, limits, and what is counted.
import { describe, expect, it } from '@jest/globals';

import { PrefixIndex } from './prefix-index.js';
import { NO_MATCH } from './prefix-match.js';

const make = (): PrefixIndex => new PrefixIndex({ maxBytes: 2 ** 20 });
const CHAIN = [1n, 2n, 3n, 4n];

describe('PrefixIndex', () => {
  it('takes the best rank of each server, and tells the ranks apart', () => {
    const index = make();
    index.apply('a', 0, { stored: CHAIN.slice(0, 1), removed: [] });
    index.apply('a', 3, { stored: CHAIN.slice(0, 3), removed: [] });
    index.apply('b', 0, { stored: CHAIN, removed: [] });
    const match = index.match(CHAIN);
    expect([...match.perServer].sort()).toEqual([
      ['a', 3],
      ['b', 4],
    ]);
    expect([...match.perRank('a')].sort()).toEqual([
      [0, 1],
      [3, 3],
    ]);
    expect([...match.perRank('c')]).toEqual([]);
  });

  it('does not take blocks of two ranks for one prefix', () => {
    const index = make();
    index.apply('a', 0, { stored: [1n, 2n], removed: [] });
    index.apply('a', 1, { stored: [3n, 4n], removed: [] });
    expect(index.match(CHAIN).perServer.get('a')).toBe(2);
  });

  it('finds nothing in an empty index and in an empty prompt', () => {
    const index = make();
    expect(index.match(CHAIN).perServer.size).toBe(0);
    index.apply('a', 0, { stored: CHAIN, removed: [] });
    expect(index.match([]).perServer.size).toBe(0);
    expect(NO_MATCH.perServer.size).toBe(0);
    expect(NO_MATCH.perRank('a').size).toBe(0);
  });

  it('reads hashes in either form, with all 64 bits', () => {
    const index = make();
    const high = 0xffff_ffff_0000_0001n;
    index.apply('a', 0, { stored: [high], removed: [] });
    expect(index.match(new BigUint64Array([0n, high]).subarray(1)).perServer.get('a')).toBe(1);
    expect(index.match([1n]).perServer.size).toBe(0);
  });

  it('claims routed blocks until the server reports them removed, on whichever rank', () => {
    const index = make();
    index.trackRouted('a', CHAIN);
    index.apply('a', 1, { stored: CHAIN.slice(0, 2), removed: [] });
    expect(index.match(CHAIN).perServer.get('a')).toBe(4);
    expect([...index.match(CHAIN).perRank('a')]).toEqual([[1, 2]]);
    index.apply('a', 1, { stored: [], removed: [4n] });
    expect(index.match(CHAIN).perServer.get('a')).toBe(3);
  });

  it('takes a snapshot for more than its claims', () => {
    const index = make();
    index.trackRouted('a', CHAIN);
    index.trackRouted('b', CHAIN);
    index.replace('a', 0, [1n]);
    expect([...index.match(CHAIN).perServer].sort()).toEqual([
      ['a', 1],
      ['b', 4],
    ]);
  });

  it('counts a prediction until it ends, beside others of the same blocks', () => {
    const index = make();
    const [one, two] = [index.predict('a', CHAIN), index.predict('a', CHAIN.slice(0, 2))];
    one.end();
    one.end();
    expect(index.match(CHAIN).perServer.get('a')).toBe(2);
    index.replace('a', 0, []);
    expect(index.match(CHAIN).perServer.get('a')).toBe(2);
    two.end();
    expect(index.match(CHAIN).perServer.size).toBe(0);
    expect(index.stats().owners).toBe(1);
  });

  it("does not touch a server's new life when a prediction of its old one ends", () => {
    const index = make();
    const old = index.predict('a', CHAIN);
    index.drop('a');
    index.trackRouted('a', CHAIN);
    old.end();
    expect(index.match(CHAIN).perServer.get('a')).toBe(4);
  });

  it('forgets a server with all that is said of it, at once', () => {
    const index = make();
    index.apply('a', 0, { stored: CHAIN, removed: [] });
    index.trackRouted('a', CHAIN);
    index.predict('a', CHAIN);
    index.apply('b', 0, { stored: [1n], removed: [] });
    expect(index.stats()).toMatchObject({ blocks: 4, owners: 4 });
    index.drop('a');
    index.drop('a');
    expect([...index.match(CHAIN).perServer]).toEqual([['b', 1]]);
    expect(index.stats()).toMatchObject({ blocks: 1, owners: 1, evictions: 0 });
  });

  it('gives the room of blocks that nobody holds to new ones before it forgets any', () => {
    const index = new PrefixIndex({ maxBytes: 2 ** 16 });
    const blocks = (from: number): bigint[] => Array.from({ length: 600 }, (_, at) => BigInt(from + at));
    index.apply('a', 0, { stored: blocks(0), removed: [] });
    const bytes = new Set<number>();
    for (let round = 1; round < 20; round++) {
      index.apply('b', 0, { stored: blocks(round * 1000), removed: [] });
      bytes.add(index.stats().bytes);
      index.drop('b');
    }
    expect(bytes.size).toBe(1);
    expect(index.stats()).toMatchObject({ blocks: 600, evictions: 0 });
    expect(index.match(blocks(0)).perServer.get('a')).toBe(600);
  });

  it('does not take the room of a removed block for a block', () => {
    const index = make();
    const [first, second] = [1n, 0xabcd_0000_0002n];
    index.apply('a', 0, { stored: [first, second], removed: [second] });
    // What the room of `second` may be marked with when it is the only one that is free.
    for (const mark of [0n, 0xffff_ffffn, 0xffff_fffen, 1n])
      expect(index.match([first, 0xabcd_0000_0000n + mark]).perServer.get('a')).toBe(1);
  });

  it('needs no more memory after the same changes again and again', () => {
    const index = make();
    const { bytes } = index.stats();
    for (let round = 0; round < 10; round++) {
      index.apply('a', 0, { stored: CHAIN, removed: [] });
      index.apply('b', round, { stored: CHAIN.slice(0, 2), removed: [] });
      index.apply('b', round, { stored: [], removed: CHAIN });
      index.apply('a', 0, { stored: [], removed: CHAIN });
      expect(index.stats().bytes).toBe(bytes);
    }
  });

  it('loses the end of a chain before its beginning, and what was not asked for before what was', () => {
    const index = new PrefixIndex({ maxBytes: 2 ** 16 });
    const chain = (from: number): bigint[] => Array.from({ length: 500 }, (_, at) => BigInt(from + at));
    index.apply('a', 0, { stored: chain(0), removed: [] });
    index.apply('a', 0, { stored: chain(1000), removed: [] });
    index.match(chain(0));
    index.apply('a', 0, { stored: chain(2000), removed: [] });
    const { evictions } = index.stats();
    expect(evictions).toBeGreaterThan(0);
    expect(index.match(chain(1000)).perServer.get('a')).toBe(500 - evictions);
    expect(index.match(chain(0)).perServer.get('a')).toBe(500);
  });

  it.each([0, -1, NaN, 65_535])('refuses %s bytes', (maxBytes) => {
    expect(() => new PrefixIndex({ maxBytes })).toThrow(RangeError);
  });
});

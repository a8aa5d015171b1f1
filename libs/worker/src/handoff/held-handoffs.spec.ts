import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { KvHandle } from '@roost/engine';

import { HeldHandoffs } from './held-handoffs.js';
import { encodeOpaqueState, makeOpaqueState, parseOpaqueState } from './opaque-state.js';

// Owns: that a held cache is freed once, by whichever of release, expiry and shutdown comes first, and never under a reader.

const handle: KvHandle = { rank: 0, numTokens: 10 };
const id = 9_007_199_254_740_993n;

async function* reading(): AsyncGenerator<number> {
  yield await Promise.resolve(1);
  yield 2;
}

describe('HeldHandoffs', () => {
  const freed: KvHandle[] = [];
  let held: HeldHandoffs;

  beforeEach(() => {
    jest.useFakeTimers();
    freed.length = 0;
    held = new HeldHandoffs(1_000, (one) => freed.push(one));
  });

  afterEach(() => jest.useRealTimers());

  it('gives a cache to whoever has its state, as often as asked, until it is released', async () => {
    const state = held.hold(id, handle);
    for (let time = 0; time < 2; time += 1) {
      const read: number[] = [];
      for await (const value of held.read(id, state, reading)) read.push(value);
      expect(read).toEqual([1, 2]);
    }
    expect(held.release(id, state)).toBe(true);
    expect(held.release(id, state)).toBe(false);
    expect(freed).toEqual([handle]);
  });

  it.each([
    ['another request id', id + 1n, (state: string) => state],
    ['a made-up state', id, () => encodeOpaqueState(makeOpaqueState(id))],
    ['text that is no state', id, () => 'b3BhcXVl'],
  ])('knows nothing of %s', async (_, asked, forge) => {
    const state = held.hold(id, handle);
    await expect(held.read(asked, forge(state), reading).next()).rejects.toMatchObject({ code: 'kv_cache_gone' });
    expect(held.release(asked, forge(state))).toBe(false);
    expect(held.size).toBe(1);
  });

  it('frees what nobody has asked for in time', async () => {
    const state = held.hold(id, handle);
    jest.advanceTimersByTime(1_000);
    expect(freed).toEqual([handle]);
    await expect(held.read(id, state, reading).next()).rejects.toMatchObject({ code: 'kv_cache_gone' });
  });

  it.each([
    ['expires', () => jest.advanceTimersByTime(1_000)],
    ['is released', (state: string) => held.release(id, state)],
  ])('keeps a cache that %s while it is read until the reader is done', async (_, end) => {
    const state = held.hold(id, handle);
    const reader = held.read(id, state, reading);
    await reader.next();
    end(state);
    expect(freed).toEqual([]);
    await reader.return(undefined);
    expect(freed).toEqual([handle]);
  });

  it('tells when the last one is gone', async () => {
    const state = held.hold(id, handle);
    const empty = held.empty();
    held.release(id, state);
    await expect(empty).resolves.toBeUndefined();
  });

  it('refuses a second cache under one request id', () => {
    held.hold(id, handle);
    expect(() => held.hold(id, handle)).toThrow('is in use');
  });

  it('frees all when the worker goes down, and nothing twice', () => {
    held.hold(id, handle);
    held.hold(id + 1n, handle);
    held.clear();
    jest.advanceTimersByTime(5_000);
    expect(freed).toHaveLength(2);
  });
});

describe('the opaque state', () => {
  it('is read back as it was made, with all 63 bits of its id', () => {
    const state = makeOpaqueState((1n << 63n) - 2n);
    expect(parseOpaqueState(encodeOpaqueState(state))).toEqual(state);
  });

  it('is nothing else', () => expect(parseOpaqueState('AAAA')).toBeNull());
});

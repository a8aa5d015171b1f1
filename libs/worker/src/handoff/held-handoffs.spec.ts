import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { KvHandle } from '@roost/engine';
import { encodeOpaqueState, makeOpaqueState } from '@roost/protocol';

import { type CacheQuestion, type HeldCache, HeldHandoffs } from './held-handoffs.js';

// Owns: that a held cache is freed once, by whichever of release, expiry and shutdown comes first, and never under a reader.

const handle: KvHandle = { rank: 0, numTokens: 10 };
const usage = { promptTokens: 10, completionTokens: 1, cachedTokens: 0 };
const cache: HeldCache = { handle, firstTokens: [7], usage };
const never = new AbortController().signal;
const id = 9_007_199_254_740_993n;

const asking = (ctxRequestId: bigint, encodedOpaqueState: string, awaited = false): CacheQuestion => ({
  ctxRequestId,
  encodedOpaqueState,
  awaited,
});

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

  afterEach(() => {
    jest.useRealTimers();
  });

  it('gives a cache to whoever has its state, as often as asked, until it is released', async () => {
    const state = held.hold(id, cache);
    for (let time = 0; time < 2; time += 1) {
      const read: number[] = [];
      for await (const value of held.read(asking(id, state), never, reading)) read.push(value);
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
    const state = held.hold(id, cache);
    await expect(held.read(asking(asked, forge(state)), never, reading).next()).rejects.toMatchObject({
      code: 'kv_cache_gone',
    });
    expect(held.release(asked, forge(state))).toBe(false);
    expect(held.size).toBe(1);
  });

  it('frees what nobody has asked for in time', async () => {
    const state = held.hold(id, cache);
    jest.advanceTimersByTime(1_000);
    expect(freed).toEqual([handle]);
    await expect(held.read(asking(id, state), never, reading).next()).rejects.toMatchObject({ code: 'kv_cache_gone' });
  });

  it.each([
    ['expires', () => jest.advanceTimersByTime(1_000)],
    ['is released', (state: string) => held.release(id, state)],
  ])('keeps a cache that %s while it is read until the reader is done', async (_, end) => {
    const state = held.hold(id, cache);
    const reader = held.read(asking(id, state), never, reading);
    await reader.next();
    end(state);
    expect(freed).toEqual([]);
    await reader.return(undefined);
    expect(freed).toEqual([handle]);
  });

  it('tells when the last one is gone', async () => {
    const state = held.hold(id, cache);
    const empty = held.empty();
    held.release(id, state);
    await expect(empty).resolves.toBeUndefined();
  });

  it('refuses a second cache under one request id', () => {
    held.hold(id, cache);
    expect(() => held.hold(id, cache)).toThrow(expect.objectContaining({ code: 'request_id_in_use' }));
  });

  it('frees all when the worker goes down, and nothing twice', () => {
    held.hold(id, cache);
    held.hold(id + 1n, cache);
    held.clear();
    jest.advanceTimersByTime(5_000);
    expect(freed).toHaveLength(2);
  });

  describe('when the reader is there first', () => {
    const state = encodeOpaqueState(makeOpaqueState(id));

    it('gives it the cache as soon as it is held under the state that both were given', async () => {
      const first = held.read(asking(id, state, true), never, reading).next();
      expect(held.hold(id, cache, state)).toBe(state);
      expect((await first).value).toBe(1);
    });

    it('ends the waiting with the time, or with the caller', async () => {
      jest.useRealTimers();
      const impatient = new HeldHandoffs(1, () => undefined);
      const late = impatient.read(asking(id, state, true), never, reading).next();
      await expect(late).rejects.toMatchObject({ code: 'kv_cache_gone' });
      const gone = new AbortController();
      const left = held.read(asking(id, state, true), gone.signal, reading).next();
      gone.abort(new Error('gone'));
      await expect(left).rejects.toThrow('gone');
    });

    it('refuses to hold a cache under the state of another request', () => {
      const other = encodeOpaqueState(makeOpaqueState(id + 1n));
      expect(() => held.hold(id, cache, other)).toThrow('not of this request');
    });
  });
});

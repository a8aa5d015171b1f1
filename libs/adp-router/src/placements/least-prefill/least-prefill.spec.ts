// Owns: which rank has the least prefill to do, and what counts where an input is missing. Caps and ties that all placements share are in placements.spec.ts.
import { describe, expect, test } from '@jest/globals';

import type { RankLoad } from '../../ports/adp-router.js';
import { ConversationRouter } from '../../routers/conversation/conversation-router.js';

import { leastPrefill } from './least-prefill.js';

const alike = { activeRequests: [1, 1, 1], activeTokens: [0, 0, 0] };
const cached =
  (...byRank: number[]) =>
  (rank: number): number =>
    byRank[rank] ?? 0;

describe('least_prefill', () => {
  test('the rank with the fewest pending tokens and uncached tokens of the request, together', () => {
    const ranks = { ...alike, pendingPrefillTokens: [500, 100, 400] };
    const choose = (...byRank: number[]): number =>
      leastPrefill.create().choose(ranks, 9, { numInputTokens: 1000, cachedTokens: cached(...byRank) });
    expect(choose(0, 0, 0)).toBe(1);
    expect(choose(401, 0, 0)).toBe(0);
    expect(choose(401, 0, 302)).toBe(2);
    expect(choose(401, 100, 302)).toBe(1);
  });

  test('without knowledge of caches, the fewest pending tokens, whatever the active tokens', () => {
    const ranks = { activeRequests: [1, 1, 1], activeTokens: [0, 1, 2], pendingPrefillTokens: [3, 2, 1] };
    expect(leastPrefill.create().choose(ranks, 9, { numInputTokens: 1000 })).toBe(2);
  });

  test('passes over a rank at the cap, however much it has cached', () => {
    const ranks = { activeRequests: [4, 1, 1], activeTokens: [0, 0, 0], pendingPrefillTokens: [0, 9, 8] };
    expect(leastPrefill.create().choose(ranks, 4, { numInputTokens: 10, cachedTokens: cached(10, 0, 0) })).toBe(2);
  });

  test('among equals the fewest requests, then the nearest after the one chosen last', () => {
    const placement = leastPrefill.create();
    const request = { numInputTokens: 10 };
    const ranks = { ...alike, pendingPrefillTokens: [7, 7, 7] };
    expect([1, 2, 3, 4].map(() => placement.choose(ranks, 9, request))).toEqual([0, 1, 2, 0]);
    expect(placement.choose({ ...ranks, activeRequests: [0, 1, 1] }, 9, request)).toBe(0);
  });

  test('no rank has more of a prompt than all of it, or less than nothing', () => {
    const ranks = { ...alike, pendingPrefillTokens: [11, 1, 20] };
    const request = { numInputTokens: 10, cachedTokens: cached(1e9, Number.NaN, -5) };
    expect(leastPrefill.create().choose(ranks, 9, request)).toBe(0);
  });
});

describe('the conversation router under least_prefill', () => {
  const create = (): ConversationRouter =>
    new ConversationRouter({
      maxNumActiveRequests: 8,
      maxSessions: 8,
      fairShareMultiplier: 8,
      placement: leastPrefill,
    });
  const load = (rank: number, numActiveTokens: number, numPendingPrefillTokens?: number): RankLoad => ({
    rank,
    numActiveRequests: 1,
    numActiveTokens,
    ...(numPendingPrefillTokens !== undefined && { numPendingPrefillTokens }),
  });
  const turn = (id: number, cachedTokens: (rank: number) => number, conversationId = `conv-${String(id)}`) => ({
    id,
    numInputTokens: 100,
    conversationId,
    cachedTokens,
  });

  test('asks for cached tokens', () => {
    expect(create().needsCachedTokens).toBe(true);
  });

  test('takes prompt tokens for pending ones unless every rank knows its own', () => {
    const request = turn(0, cached(0, 0));
    expect(create().assign([load(0, 500, 10), load(1, 400, 20)], [request]).byRank).toEqual([[0], []]);
    expect(create().assign([load(0, 500, 10), load(1, 400)], [request]).byRank).toEqual([[], [0]]);
  });

  test('counts what a rank has not cached of the requests that were placed before, sticky ones too', () => {
    const router = create();
    router.assign([load(0, 0, 0), load(1, 0, 999)], [turn(0, cached(0, 0), 'home')]);
    const ranks = [load(0, 0, 0), load(1, 0, 50)];
    const next = turn(2, cached(0, 0));
    expect(router.assign(ranks, [turn(1, cached(0, 0), 'home'), next]).byRank).toEqual([[1], [2]]);
    expect(router.assign(ranks, [turn(1, cached(60, 0), 'home'), { ...next, conversationId: 'b' }]).byRank).toEqual([
      [1, 2],
      [],
    ]);
  });
});

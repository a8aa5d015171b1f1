// Owns: a prefix that everybody shares does not draw the traffic to one rank, and one that few share still does its work. Simulates ranks with caches of their own.
import { describe, expect, test } from '@jest/globals';

import { createAdpRouter, type AttentionDpOptions } from '../../create-adp-router.js';

const RANKS = [0, 1, 2, 3, 4, 5, 6, 7];
const SYSTEM_TOKENS = 300;

interface Traffic {
  readonly options: AttentionDpOptions;
  readonly promptTokens: number;
  /** Iterations between one request and the next, and the iterations that one takes. */
  readonly gap: number;
  readonly duration: number;
  /** Conversations that take turns; each turn's prompt begins with that of the turn before. */
  readonly conversations?: number;
  readonly systemCachedOn: readonly number[];
}

interface Outcome {
  /** Requests that each rank was given. */
  readonly perRank: readonly number[];
  /** Tokens found in the cache, of those that any rank had. */
  readonly reuse: number;
}

function simulate({
  options,
  promptTokens,
  gap,
  duration,
  conversations = Infinity,
  systemCachedOn,
}: Traffic): Outcome {
  const router = createAdpRouter({ enable_kv_cache_aware_routing: true, ...options }, 64);
  const running: { rank: number; until: number }[] = [];
  const hasSystem = RANKS.map((rank) => systemCachedOn.includes(rank));
  const histories = RANKS.map(() => new Set<number>());
  const perRank = RANKS.map(() => 0);
  let [reused, reusable] = [0, 0];
  for (let id = 0; id < 800; id += 1) {
    const now = id * gap;
    const active = running.filter(({ until }) => until > now);
    const conversation = id % conversations;
    const cachedTokens = (rank: number): number => {
      if (histories[rank]?.has(conversation) === true) return promptTokens - 20;
      return hasSystem[rank] === true ? SYSTEM_TOKENS : 0;
    };
    const ranks = RANKS.map((rank) => {
      const numActiveRequests = active.filter((one) => one.rank === rank).length;
      return { rank, numActiveRequests, numActiveTokens: numActiveRequests * promptTokens };
    });
    const [made] = router.assign(ranks, [{ id, numInputTokens: promptTokens, cachedTokens }]).decisions;
    const rank = made?.rank ?? -1;
    reused += cachedTokens(rank);
    reusable += Math.max(...RANKS.map(cachedTokens));
    running.splice(0, running.length, ...active, { rank, until: now + duration });
    hasSystem[rank] = true;
    histories[rank]?.add(conversation);
    perRank[rank] = (perRank[rank] ?? 0) + 1;
  }
  return { perRank, reuse: reused / reusable };
}

const imbalance = ({ perRank }: Outcome): number => Math.max(...perRank) / Math.min(...perRank);

describe.each([
  ['one at a time', 10, 5],
  ['some at once', 1, 6],
  ['many at once', 1, 200],
])('requests that share a system prompt alone, %s', (_, gap, duration) => {
  const traffic = { gap, duration, options: {}, systemCachedOn: [0] };

  test('of which it is less than the threshold', () => {
    expect(imbalance(simulate({ ...traffic, promptTokens: 4000 }))).toBeLessThanOrEqual(2);
  });

  test('and that every rank has cached', () => {
    expect(imbalance(simulate({ ...traffic, promptTokens: 600, systemCachedOn: RANKS }))).toBeLessThanOrEqual(2);
  });

  test('after the warm-up', () => {
    const options = { kv_cache_routing_cold_start_warmup: true };
    expect(imbalance(simulate({ ...traffic, promptTokens: 600, options }))).toBeLessThanOrEqual(2);
  });
});

test('without the warm-up, an idle rank that has it cached draws all of them', () => {
  const { perRank } = simulate({ gap: 10, duration: 5, options: {}, promptTokens: 600, systemCachedOn: [0] });
  expect(perRank).toEqual([800, 0, 0, 0, 0, 0, 0, 0]);
});

test('conversations still find their own history, and ranks stay even', () => {
  const outcome = simulate({
    gap: 1,
    duration: 6,
    conversations: 40,
    promptTokens: 4000,
    options: { kv_cache_routing_cold_start_warmup: true },
    systemCachedOn: [],
  });
  expect(outcome.reuse).toBeGreaterThan(0.9);
  expect(imbalance(outcome)).toBeLessThanOrEqual(2);
});

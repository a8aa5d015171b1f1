// Owns: which router a configuration gets, and that its options arrive there. Scenario 10 of reference 8.6 is in scenarios.spec.ts.
import { describe, expect, test } from '@jest/globals';

import { createAdpRouter, type AttentionDpOptions } from './create-adp-router.js';
import type { RankLoad } from './ports/adp-router.js';
import { ConversationRouter } from './routers/conversation/conversation-router.js';
import { KvCacheAwareRouter } from './routers/kv-cache-aware/kv-cache-aware-router.js';

const prefix: AttentionDpOptions = { enable_kv_cache_aware_routing: true };
const conversation: AttentionDpOptions = { kv_cache_routing_conversation_affinity: true };

describe('the router', () => {
  test('is KV-cache-aware where that is asked for, unless conversation affinity is on too', () => {
    expect(createAdpRouter(prefix, 8)).toBeInstanceOf(KvCacheAwareRouter);
    expect(createAdpRouter({ ...prefix, ...conversation }, 8)).toBeInstanceOf(ConversationRouter);
  });

  test('does not defer for strict affinity alone', () => {
    const strict = { kv_cache_routing_strict_conversation_affinity: true };
    expect(createAdpRouter(strict, 8).canDefer).toBe(false);
    expect(createAdpRouter({ ...prefix, ...strict }, 8).canDefer).toBe(false);
    expect(createAdpRouter({ ...conversation, ...strict }, 8).canDefer).toBe(true);
  });

  test.each([
    [{}, false],
    [prefix, true],
    [conversation, false],
    [{ ...conversation, kv_cache_routing_new_conv_placement: 'least_tokens' }, false],
    [{ ...conversation, kv_cache_routing_new_conv_placement: 'least_prefill' }, true],
  ])('of %p looks at cached tokens: %p', (options, needsCachedTokens) => {
    expect(createAdpRouter(options, 8).needsCachedTokens).toBe(needsCachedTokens);
  });
});

describe('the options of the KV-cache-aware router', () => {
  const load = (rank: number, numActiveTokens: number, numInTransfer = 0): RankLoad => ({
    rank,
    numActiveRequests: 1,
    numActiveTokens,
    numInTransfer,
  });
  /** One request, half of it cached on rank 1. */
  const rankOf = (options: AttentionDpOptions, ranks: readonly RankLoad[]): number | undefined => {
    const cachedTokens = (rank: number): number => (rank === 1 ? 50 : 0);
    const router = createAdpRouter({ ...prefix, ...options }, 8);
    return router.assign(ranks, [{ id: 0, numInputTokens: 100, cachedTokens }]).decisions[0]?.rank;
  };

  test.each<[string, AttentionDpOptions, RankLoad[], number]>([
    ['defaults', {}, [load(0, 100), load(1, 100)], 1],
    ['beta of 1 by default', {}, [load(0, 100), load(1, 400)], 0],
    ['beta', { kv_cache_routing_load_balance_weight: 0.5 }, [load(0, 100), load(1, 400)], 1],
    ['threshold', { kv_cache_routing_match_rate_threshold: 0.5 }, [load(0, 100), load(1, 101)], 0],
    ['warm-up', { kv_cache_routing_cold_start_warmup: true }, [load(0, 100), load(1, 100)], 0],
    ['no transfers by default', {}, [load(0, 100), load(1, 100, 9)], 1],
    ['transfers', { kv_cache_routing_account_for_in_transfer: true }, [load(0, 100), load(1, 100, 9)], 0],
  ])('%s', (_, options, ranks, rank) => {
    expect(rankOf(options, ranks)).toBe(rank);
  });

  test('multiplier', () => {
    const rankAt = (multiplier: number | undefined): number | undefined =>
      rankOf({ kv_cache_routing_fair_share_multiplier: multiplier, kv_cache_routing_load_balance_weight: 0 }, [
        load(0, 0),
        { ...load(1, 0), numActiveRequests: 2 },
      ]);
    expect([rankAt(undefined), rankAt(1)]).toEqual([1, 0]);
  });
});

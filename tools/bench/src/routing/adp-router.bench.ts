/**
 * Assignments a second of each rank router, and bytes a binding, with a million bindings:
 * `node --expose-gc tools/bench/dist/routing/adp-router.bench.js`. Eight ranks, batches of 32 requests. A look-up of the same
 * keys in a plain map, measured beside them, says how fast the machine is at that moment.
 */
import {
  type AdpRequest,
  type AdpRouter,
  type AttentionDpOptions,
  createAdpRouter,
  PLACEMENTS,
  type RankLoad,
} from '@roost/adp-router';

import { memoryInUse } from './memory-in-use.js';
import { BINDINGS, freshKeys, sameKeys, STRIDE } from './million-keys.js';

const BATCH = 32;
const CAP = 64;
const ROUNDS = 3;
const RANKS = Array.from({ length: 8 }, (_, rank) => ({
  rank,
  numActiveRequests: 16 + rank,
  numActiveTokens: 40_000 + 100 * rank,
  numPendingPrefillTokens: 4000 + 100 * rank,
}));
const CACHED = RANKS.map(({ rank }) => 500 * rank);
const cachedTokens = (rank: number): number => CACHED[rank] ?? 0;

type Act = (keys: readonly string[]) => void;

/** The best of some rounds: other work on the machine only ever takes away. `prepare` makes ready for each round. */
function report(what: string, keys: readonly string[], prepare: () => Act): void {
  let best = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const act = prepare();
    const start = performance.now();
    for (let at = 0; at < keys.length; at += BATCH) {
      act(Array.from({ length: BATCH }, (_, index) => keys[((at + index) * STRIDE) % keys.length] ?? ''));
    }
    best = Math.max(best, (keys.length / (performance.now() - start)) * 1000);
  }
  print(what, `${Math.round(best).toLocaleString('en')} /s`);
}

const print = (what: string, value: string): void => console.log(`${what.padEnd(64)} ${value.padStart(16)}`);

function assignWith(router: AdpRouter, ranks: readonly RankLoad[] = RANKS): Act {
  return (keys) => {
    const requests = keys.map((conversationId, id): AdpRequest<number> =>
      router.needsCachedTokens
        ? { id, numInputTokens: 4000, conversationId, cachedTokens }
        : { id, numInputTokens: 4000, conversationId },
    );
    router.assign(ranks, requests);
  };
}

const byConversation = (more: AttentionDpOptions = {}): AdpRouter =>
  createAdpRouter(
    { kv_cache_routing_conversation_affinity: true, kv_cache_routing_max_sessions: BINDINGS, ...more },
    CAP,
  );

/** Every key bound, by objects of their own that look the same. */
function bound(router: AdpRouter, keys: readonly string[]): AdpRouter {
  const assign = assignWith(router);
  for (let at = 0; at < keys.length; at += BATCH) assign(keys.slice(at, at + BATCH));
  return router;
}

const beforeKeys = memoryInUse();
const keys = freshKeys();
const beforeBindings = memoryInUse();
const router = bound(byConversation(), keys);
const perBinding = (memoryInUse() - beforeBindings) / BINDINGS;
const perKey = (beforeBindings - beforeKeys) / BINDINGS;
print('bytes a binding, without its key', perBinding.toFixed(0));
print('bytes a binding, with a key of 36 characters', (perBinding + perKey).toFixed(0));

const again = sameKeys(keys);
const plain = new Map(keys.map((key, index) => [key, index]));
const lookUp: Act = (batch) => {
  for (const key of batch) plain.get(key);
};
const evictEach = (): Act => assignWith(bound(byConversation(), freshKeys()));

report('for comparison: look-ups in a plain map', again, () => lookUp);
report('default router', keys, () => assignWith(createAdpRouter({}, CAP)));
report('KV-cache-aware router', keys, () => assignWith(createAdpRouter({ enable_kv_cache_aware_routing: true }, CAP)));
report('conversation router, bound keys', again, () => assignWith(router));
report('conversation router, each new key evicting another', keys, evictEach);
for (const { name } of PLACEMENTS) {
  report(`conversation router, new keys, ${name}`, keys, () =>
    assignWith(byConversation({ kv_cache_routing_new_conv_placement: name })),
  );
}

const strict = bound(byConversation({ kv_cache_routing_strict_conversation_affinity: true }), keys);
const oneFull = RANKS.map((rank) => ({ ...rank, numActiveRequests: rank.rank === 0 ? CAP : 16 }));
report('strict affinity, bound keys', again, () => assignWith(strict));
report('strict affinity, bound keys, an eighth of them deferred', again, () => assignWith(strict, oneFull));

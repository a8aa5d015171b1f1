import {
  type AdpRequest,
  type AdpRouter,
  type AttentionDpOptions,
  createAdpRouter,
  PLACEMENTS,
  type RankLoad,
} from '@roost/adp-router';

import { memoryInUse } from './memory-in-use.js';
import { BINDINGS, freshKeys, keysInAnyOrder, sameKeys } from './million-keys.js';
import type { TimedWork, Work } from './work.js';

const RANKS = 8;
const BATCH = 32;
const CAP = 64;

const LOADS: readonly RankLoad[] = Array.from({ length: RANKS }, (_, rank) => ({
  rank,
  numActiveRequests: 16 + rank,
  numActiveTokens: 40_000 + 100 * rank,
  numPendingPrefillTokens: 4_000 + 100 * rank,
}));
/** The first rank can take no request. */
const ONE_FULL = LOADS.map((load) => ({ ...load, numActiveRequests: load.rank === 0 ? CAP : 16 }));
const CACHED = LOADS.map(({ rank }) => 500 * rank);
const cachedTokens = (rank: number): number => CACHED[rank] ?? 0;

/** Assigns a request for each key, in batches. */
function assign(router: AdpRouter, keys: readonly string[], loads = LOADS): void {
  for (let at = 0; at < keys.length; at += BATCH) {
    const requests = keys
      .slice(at, at + BATCH)
      .map((conversationId, id): AdpRequest<number> =>
        router.needsCachedTokens
          ? { id, numInputTokens: 4_000, conversationId, cachedTokens }
          : { id, numInputTokens: 4_000, conversationId },
      );
    router.assign(loads, requests);
  }
}

const byConversation = (more: AttentionDpOptions = {}): AdpRouter =>
  createAdpRouter(
    { kv_cache_routing_conversation_affinity: true, kv_cache_routing_max_sessions: BINDINGS, ...more },
    CAP,
  );

function unbound(options: AttentionDpOptions): TimedWork {
  const keys = freshKeys();
  const router = createAdpRouter(options, CAP);
  assign(router, keys.slice(0, BINDINGS / 4));
  return { operations: BINDINGS, run: () => assign(router, keys) };
}

function boundKeys(more: AttentionDpOptions, loads = LOADS): TimedWork {
  const router = byConversation(more);
  const keys = freshKeys();
  assign(router, keys);
  const again = sameKeys(keysInAnyOrder(keys));
  assign(router, again.slice(0, BINDINGS / 4), loads);
  return { operations: BINDINGS, run: () => assign(router, again, loads) };
}

/** New keys for a table that is empty, or full; warmed up with another one. */
function newKeys(more: AttentionDpOptions, isFull = false): TimedWork {
  assign(byConversation(more), freshKeys().slice(0, BINDINGS / 4));
  const router = byConversation(more);
  if (isFull) assign(router, freshKeys());
  const keys = freshKeys();
  return { operations: BINDINGS, run: () => assign(router, keys) };
}

/** A rank's table keeps the very string that it is given, so that the key is counted too. */
function bytesABinding(): number {
  const router = byConversation();
  const before = memoryInUse();
  assign(router, freshKeys());
  return (memoryInUse() - before) / BINDINGS;
}

const STRICT: AttentionDpOptions = { kv_cache_routing_strict_conversation_affinity: true };

/** The routers among eight ranks. */
export const RANK_WORK: readonly Work[] = [
  { name: 'ranks: default', prepare: () => unbound({}) },
  { name: 'ranks: kv_cache_aware', prepare: () => unbound({ enable_kv_cache_aware_routing: true }) },
  { name: 'ranks: conversation, bound keys', prepare: () => boundKeys({}) },
  ...PLACEMENTS.map(({ name }): Work => ({
    name: `ranks: conversation, new keys, ${name}`,
    prepare: () => newKeys({ kv_cache_routing_new_conv_placement: name }),
  })),
  { name: 'ranks: conversation, new keys, each evicting another', prepare: () => newKeys({}, true) },
  { name: 'ranks: strict affinity, bound keys', prepare: () => boundKeys(STRICT) },
  { name: 'ranks: strict affinity, an eighth deferred', prepare: () => boundKeys(STRICT, ONE_FULL) },
  { name: 'bytes a binding to a rank, with its key of 36 characters', bytesEach: bytesABinding },
];

import type { Policy } from './policy.js';

const conversationRanks = { kv_cache_routing_conversation_affinity: true };

/** The policies to compare, from the one that knows least to the one that knows most. */
export const POLICIES: readonly Policy[] = [
  {
    name: 'round_robin',
    router: { type: 'round_robin', args: {} },
    subagentKey: 'own',
    attentionDp: {},
  },
  {
    name: 'load_balancing',
    router: { type: 'load_balancing', args: {} },
    subagentKey: 'own',
    attentionDp: {},
  },
  {
    name: 'conversation',
    router: { type: 'conversation', args: {} },
    subagentKey: 'own',
    attentionDp: conversationRanks,
  },
  {
    name: 'conversation+parent',
    router: { type: 'conversation', args: {} },
    subagentKey: 'parent',
    attentionDp: conversationRanks,
  },
  {
    name: 'conversation+root',
    router: { type: 'conversation', args: {} },
    subagentKey: 'root',
    attentionDp: conversationRanks,
  },
  {
    name: 'kv_cache_aware',
    router: { type: 'kv_cache_aware', args: {} },
    subagentKey: 'own',
    attentionDp: { enable_kv_cache_aware_routing: true },
  },
];

import type { Policy } from './policy.js';

const conversationRanks = { kv_cache_routing_conversation_affinity: true };

/** The policies to compare, from the one that knows least to the one that knows most. */
export const POLICIES: readonly Policy[] = [
  {
    name: 'round_robin',
    router: { type: 'round_robin', args: {} },
    subagentAffinity: false,
    attentionDp: {},
  },
  {
    name: 'load_balancing',
    router: { type: 'load_balancing', args: {} },
    subagentAffinity: false,
    attentionDp: {},
  },
  {
    name: 'conversation',
    router: { type: 'conversation', args: {} },
    subagentAffinity: false,
    attentionDp: conversationRanks,
  },
  {
    name: 'conversation+parent',
    router: { type: 'conversation', args: {} },
    subagentAffinity: true,
    attentionDp: conversationRanks,
  },
  {
    name: 'kv_cache_aware',
    router: { type: 'kv_cache_aware', args: {} },
    subagentAffinity: false,
    attentionDp: { enable_kv_cache_aware_routing: true },
  },
];

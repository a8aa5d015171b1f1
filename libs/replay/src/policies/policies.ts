import type { FleetPolicy, Policy, SubagentKey } from './policy.js';

/**
 * The policies to compare, from the one that knows least to the one that knows most. Both fleets have routers of one type;
 * a sub-agent's generation is placed by its own conversation, as by the default scope of affinity.
 */
export const POLICIES: readonly Policy[] = [
  alike('round_robin', byType('round_robin')),
  alike('load_balancing', byType('load_balancing')),
  alike('conversation', byConversation('own')),
  { name: 'conversation+parent', context: byConversation('parent'), generation: byConversation('own') },
  { name: 'conversation+root', context: byConversation('root'), generation: byConversation('own') },
  alike('kv_cache_aware', { ...byType('kv_cache_aware'), attentionDp: { enable_kv_cache_aware_routing: true } }),
];

function alike(name: string, policy: FleetPolicy): Policy {
  return { name, context: policy, generation: policy };
}

function byType(type: string): FleetPolicy {
  return { router: { type, args: {} }, subagentKey: 'own', attentionDp: {} };
}

function byConversation(subagentKey: SubagentKey): FleetPolicy {
  return {
    ...byType('conversation'),
    subagentKey,
    attentionDp: { kv_cache_routing_conversation_affinity: true },
  };
}

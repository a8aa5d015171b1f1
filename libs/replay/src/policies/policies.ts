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

/** Sub-agents of one type in one family together, apart from their parent, with whom they may share nothing. */
const SIBLING_GROUP: Policy = {
  name: 'sibling_group',
  context: byConversation('sibling_group'),
  generation: byConversation('own'),
};

/** How long followers are held at most: as long as Claude Code's workflows hold them (agent-traffic reference 1.3). */
export const DEFAULT_HOLD_MS = 5000;

/** The policies to compare, and beside them what-ifs: by sibling group, and each with followers held back. */
export const ALL_POLICIES: readonly Policy[] = [
  ...POLICIES,
  SIBLING_GROUP,
  ...[...POLICIES, SIBLING_GROUP].map(holding),
];

function holding(policy: Policy): Policy {
  const { name, context } = policy;
  const { type, args } = context.router;
  // By cached blocks a follower finds its leader's instance only if those count that are not there yet.
  const router = type === 'kv_cache_aware' ? { type, args: { ...args, predict_in_flight: true } } : context.router;
  return { ...policy, name: `${name}+hold`, context: { ...context, router }, holdMs: DEFAULT_HOLD_MS };
}

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

import { Amount, Choice, Flag, Whole } from '../settings/decorators.js';
import { Group } from '../settings/setting.js';

/** How a rank is chosen for a conversation that no rank is bound to. */
const NEW_CONVERSATION_PLACEMENTS = ['round_robin', 'least_queued', 'least_tokens', 'least_prefill'] as const;

/** One of {@link NEW_CONVERSATION_PLACEMENTS}. */
export type NewConversationPlacement = (typeof NEW_CONVERSATION_PLACEMENTS)[number];

/** How requests are spread over the attention data-parallel ranks of one instance (reference 6.1). */
@Group({
  title: 'attention_dp_config',
  meaning:
    'How requests are spread over the attention data-parallel ranks of one instance. Takes effect with `enable_attention_dp: true`.',
  source: 'upstream',
  ignored: [],
})
export class AttentionDpConfig {
  @Flag(
    'Hold requests back for each other, so that all ranks get work in the same iteration. Nobody is held while a rank has nothing to do, or once the waiting requests would fill all free slots.',
  )
  readonly enable_balance: boolean = false;

  @Whole(
    'With `enable_balance`, the longest that a request is held while fewer wait than there are ranks with a free slot; must not be negative then.',
    { unit: 'iterations', min: Number.MIN_SAFE_INTEGER },
  )
  readonly timeout_iters: number = 50;

  @Whole(
    'With `enable_balance`, the longest that a request is held for a fuller batch while enough wait for every rank with a free slot; must not be negative then.',
    { unit: 'iterations', min: Number.MIN_SAFE_INTEGER },
  )
  readonly batching_wait_iters: number = 10;

  @Flag(
    'Choose ranks by how much of the prompt they have cached, less their share of the load. Without this and conversation affinity, tokens alone balance ranks.',
  )
  readonly enable_kv_cache_aware_routing: boolean = false;

  @Amount(
    "Weight of a rank's share of the load against the share of a prompt that it has cached, in prefix-match routing.",
  )
  readonly kv_cache_routing_load_balance_weight: number = 1;

  @Amount('Share of the prompt that must be exceeded for cached tokens to count, in prefix-match routing.', { max: 1 })
  readonly kv_cache_routing_match_rate_threshold: number = 0.1;

  @Amount(
    'How far above its fair share a rank may be filled by requests that are not bound to it. Values below 1 count as 1.',
    { open: true },
  )
  readonly kv_cache_routing_fair_share_multiplier: number = 2;

  @Flag('Give every rank a request before cached tokens decide, in prefix-match routing.')
  readonly kv_cache_routing_cold_start_warmup: boolean = false;

  @Flag('Count requests whose KV cache is held for its transfer as load of their rank, in prefix-match routing.')
  readonly kv_cache_routing_account_for_in_transfer: boolean = false;

  @Flag(
    'Keep every conversation, and the sub-agents of its agent, on one rank. Takes precedence over prefix-match routing.',
  )
  readonly kv_cache_routing_conversation_affinity: boolean = false;

  @Whole('Conversations remembered by rank; past it the least recently used is forgotten.', { unit: 'conversations' })
  readonly kv_cache_routing_max_sessions: number = 65536;

  @Choice('How a rank is chosen for a conversation that is not bound yet.', NEW_CONVERSATION_PLACEMENTS)
  readonly kv_cache_routing_new_conv_placement: NewConversationPlacement = 'round_robin';

  @Flag('Exchange rank states in one packed message.', { idle: true })
  readonly enable_packed_sync: boolean = false;

  @Flag('Admit generation requests by the KV load of the ranks.', {
    idle: true,
  })
  readonly enable_kv_balanced_admission: boolean = false;

  @Flag(
    'Let a request of a bound conversation wait for its home rank while that is full, instead of overflowing to another.',
  )
  readonly kv_cache_routing_strict_conversation_affinity: boolean = false;

  @Whole('The longest that strict affinity waits before a request overflows all the same; 0 for as long as it takes.', {
    unit: 'iterations',
    min: 0,
  })
  readonly kv_cache_routing_strict_affinity_max_wait_iters: number = 0;
}

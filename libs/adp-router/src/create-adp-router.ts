import { selectPlacement } from './placements/placements.js';
import type { AdpRouter } from './ports/adp-router.js';
import { ConversationRouter } from './routers/conversation/conversation-router.js';
import { DefaultRouter } from './routers/default/default-router.js';
import { KvCacheAwareRouter } from './routers/kv-cache-aware/kv-cache-aware-router.js';

/** The fields of `attention_dp_config` that select and shape a router; each may be absent (reference 6.1). */
export interface AttentionDpOptions {
  /** Bind conversations to ranks. Takes precedence over the prefix match. Default false. */
  readonly kv_cache_routing_conversation_affinity?: boolean | undefined;
  /** Bindings kept; less than 1 counts as 1. Default 65536. */
  readonly kv_cache_routing_max_sessions?: number | undefined;
  /** How a rank is chosen for a new conversation; an unknown name counts as the default, `round_robin`. */
  readonly kv_cache_routing_new_conv_placement?: string | undefined;
  /** Let a request of a bound conversation wait for its home rank while that is full, instead of overflowing. Default false. */
  readonly kv_cache_routing_strict_conversation_affinity?: boolean | undefined;
  /** Iterations that it waits before it overflows all the same; 0, the default, for as long as it takes. */
  readonly kv_cache_routing_strict_affinity_max_wait_iters?: number | undefined;
  /** Send requests to where their prompt is cached. Without this and conversation affinity, tokens alone balance ranks. Default false. */
  readonly enable_kv_cache_aware_routing?: boolean | undefined;
  /** Weight of a rank's share of the load against the share of a prompt that it has cached. Default 1. */
  readonly kv_cache_routing_load_balance_weight?: number | undefined;
  /** Share of the prompt that must be exceeded for what is cached to count. Default 0.1. */
  readonly kv_cache_routing_match_rate_threshold?: number | undefined;
  /** Give every rank a request before what is cached decides. Default false. */
  readonly kv_cache_routing_cold_start_warmup?: boolean | undefined;
  /** Count requests whose KV cache is held for its transfer as load, where it is the prefix match that decides. Default false. */
  readonly kv_cache_routing_account_for_in_transfer?: boolean | undefined;
  /** How far above its fair share placement may load a rank; less than 1 counts as 1. Default 2. */
  readonly kv_cache_routing_fair_share_multiplier?: number | undefined;
}

/**
 * The rank router that a configuration asks for.
 *
 * @param maxNumActiveRequests the hard cap: active requests that no rank may exceed
 * @throws RangeError when the hard cap is not a whole number of at least 1, or an option is out of its range
 */
export function createAdpRouter(options: AttentionDpOptions, maxNumActiveRequests: number): AdpRouter {
  if (options.kv_cache_routing_conversation_affinity === true) return byConversation(options, maxNumActiveRequests);
  if (options.enable_kv_cache_aware_routing === true) return byPrefix(options, maxNumActiveRequests);
  return new DefaultRouter(maxNumActiveRequests);
}

function byConversation(options: AttentionDpOptions, maxNumActiveRequests: number): AdpRouter {
  const isStrict = options.kv_cache_routing_strict_conversation_affinity === true;
  const maxWaitIters = options.kv_cache_routing_strict_affinity_max_wait_iters ?? 0;
  return new ConversationRouter({
    maxNumActiveRequests,
    maxSessions: options.kv_cache_routing_max_sessions ?? 65_536,
    fairShareMultiplier: options.kv_cache_routing_fair_share_multiplier ?? 2,
    placement: selectPlacement(options.kv_cache_routing_new_conv_placement ?? 'round_robin'),
    // No bound by default: a bound of no iterations would make strict affinity the same as none.
    maxHomeWaitIters: isStrict ? (maxWaitIters === 0 ? Infinity : maxWaitIters) : 0,
  });
}

function byPrefix(options: AttentionDpOptions, maxNumActiveRequests: number): AdpRouter {
  return new KvCacheAwareRouter({
    maxNumActiveRequests,
    loadBalanceWeight: options.kv_cache_routing_load_balance_weight ?? 1,
    matchRateThreshold: options.kv_cache_routing_match_rate_threshold ?? 0.1,
    fairShareMultiplier: options.kv_cache_routing_fair_share_multiplier ?? 2,
    coldStartWarmup: options.kv_cache_routing_cold_start_warmup ?? false,
    accountForInTransfer: options.kv_cache_routing_account_for_in_transfer ?? false,
  });
}

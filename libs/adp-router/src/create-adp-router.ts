import { selectPlacement } from './placements/placements.js';
import type { AdpRouter } from './ports/adp-router.js';
import { ConversationRouter } from './routers/conversation/conversation-router.js';
import { DefaultRouter } from './routers/default/default-router.js';

/** The fields of `attention_dp_config` that select and shape a router; each may be absent (reference 6.1). */
export interface AttentionDpOptions {
  /** Bind conversations to ranks; without it, ranks are balanced by tokens alone. Default false. */
  readonly kv_cache_routing_conversation_affinity?: boolean | undefined;
  /** Bindings kept; less than 1 counts as 1. Default 65536. */
  readonly kv_cache_routing_max_sessions?: number | undefined;
  /** How a rank is chosen for a new conversation; an unknown name counts as the default, `round_robin`. */
  readonly kv_cache_routing_new_conv_placement?: string | undefined;
  /** How far above its fair share placement may load a rank; less than 1 counts as 1. Default 2. */
  readonly kv_cache_routing_fair_share_multiplier?: number | undefined;
}

/**
 * The rank router that a configuration asks for.
 *
 * @param maxNumActiveRequests the hard cap: active requests that no rank may exceed
 * @throws RangeError when the hard cap is not a whole number of at least 1, or the sessions are no whole number or too many
 */
export function createAdpRouter(options: AttentionDpOptions, maxNumActiveRequests: number): AdpRouter {
  if (options.kv_cache_routing_conversation_affinity !== true) {
    return new DefaultRouter(maxNumActiveRequests);
  }
  return new ConversationRouter({
    maxNumActiveRequests,
    maxSessions: options.kv_cache_routing_max_sessions ?? 65_536,
    fairShareMultiplier: options.kv_cache_routing_fair_share_multiplier ?? 2,
    placement: selectPlacement(options.kv_cache_routing_new_conv_placement ?? 'round_robin'),
  });
}

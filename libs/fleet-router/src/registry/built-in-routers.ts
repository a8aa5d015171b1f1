import { type ConversationOptions, ConversationRouter } from '../conversation/conversation-router.js';
import { createKvCacheAwareRouter } from '../kv-cache-aware/create-kv-cache-aware-router.js';
import { LoadBalancingRouter } from '../load-balancing/load-balancing-router.js';
import { RoundRobinRouter } from '../round-robin/round-robin-router.js';

import { RouterArgumentError, type RouterArguments } from './router-arguments.js';
import { type RouterDependencies, RouterRegistry } from './router-registry.js';

/** The type of a section that names none. */
export const DEFAULT_ROUTER_TYPE = 'round_robin';

/** Enough for a million blocks of sessions without an id. */
const DEFAULT_CONTENT_BYTES = 64 * 1024 * 1024;
const LEAST_CONTENT_BYTES = 64 * 1024;

/** A registry with every router of this package (reference 2); add further types with `register`. */
export function createRouterRegistry(): RouterRegistry {
  return new RouterRegistry()
    .register('round_robin', (_args, { servers }) => new RoundRobinRouter(servers))
    .register(
      'load_balancing',
      (args, { servers = [] }) =>
        new LoadBalancingRouter(servers, {
          useTokens: args.boolean('use_tokens', false),
        }),
    )
    .register('kv_cache_aware', createKvCacheAwareRouter)
    .register('conversation', createConversationRouter);
}

function createConversationRouter(args: RouterArguments, dependencies: RouterDependencies): ConversationRouter {
  const { servers = [], nodeId, makeBindings } = dependencies;
  return new ConversationRouter(servers, {
    matchThreshold: args.number('match_threshold', 0.75, { min: 0, max: 1 }),
    tokensPerBlock: args.integer('tokens_per_block', 128, { min: 1 }),
    hashSkipCount: args.integer('hash_skip_count', 0, { min: 0 }),
    maxSessions: args.integer('max_sessions', 100_000, { min: 1 }),
    maxContentBytes: args.integer('content_bytes', DEFAULT_CONTENT_BYTES, { min: LEAST_CONTENT_BYTES }),
    ...tokenizer(args, dependencies),
    ...idleLimit(args, dependencies),
    ...rebalancing(args, dependencies),
    ...(nodeId === undefined ? {} : { nodeId }),
    ...(makeBindings === undefined ? {} : { makeBindings }),
  });
}

function tokenizer(args: RouterArguments, { tokenize }: RouterDependencies): Pick<ConversationOptions, 'tokenize'> {
  if (!args.boolean('use_token_ids', false)) return {};
  if (tokenize === undefined)
    throw new RouterArgumentError('use_token_ids', 'false where no tokenizer is available', true);
  return { tokenize };
}

/** Not an argument of TensorRT-LLM's router, whose bindings never end by time (reference 2.5): absent, they do not. */
function idleLimit(args: RouterArguments, dependencies: RouterDependencies): Pick<ConversationOptions, 'idle'> {
  const timed = idleTime('idle_ttl_sec', args, dependencies);
  return timed === null ? {} : { idle: { ttlMs: timed.ms, now: timed.now } };
}

/** Not an argument of TensorRT-LLM's router, whose bindings never move: absent, they do not. */
function rebalancing(args: RouterArguments, dependencies: RouterDependencies): Pick<ConversationOptions, 'rebalance'> {
  const timed = idleTime('rebalance_idle_sec', args, dependencies);
  return timed === null ? {} : { rebalance: { idleMs: timed.ms, now: timed.now } };
}

function idleTime(
  key: string,
  args: RouterArguments,
  { now }: RouterDependencies,
): { readonly ms: number; readonly now: () => number } | null {
  const seconds = args.number(key, null, { min: 0.001 });
  if (seconds === null) return null;
  if (now === undefined) throw new RouterArgumentError(key, 'absent where no clock is available', seconds);
  return { ms: seconds * 1000, now };
}

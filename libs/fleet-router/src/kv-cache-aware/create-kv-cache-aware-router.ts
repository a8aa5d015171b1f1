import { PrefixIndex } from '@roost/prefix-index';

import { type RouterArguments } from '../registry/router-arguments.js';
import { type RouterDependencies } from '../registry/router-registry.js';

import { KvCacheAwareRouter } from './kv-cache-aware-router.js';

/** Enough for a million and a half blocks. */
const OWN_INDEX_BYTES = 64 * 1024 * 1024;

/**
 * Makes the router from its arguments (reference 2.3). `use_tokens` and the arguments that choose a tokenizer change
 * nothing about where a request goes, and are left unread for the caller to warn of.
 */
export function createKvCacheAwareRouter(
  args: RouterArguments,
  { servers = [], prefixIndex }: RouterDependencies,
): KvCacheAwareRouter {
  const options = {
    maxBatchSize: args.integer('max_batch_size', 64, { min: 1 }),
    tokensPerBlock: args.integer('tokens_per_block', null, { min: 1 }),
    loadWeight: args.number('load_weight', 0.25, { min: 0 }),
    loadCap: args.number('load_cap', Infinity, { min: 0 }),
    trackRoutedBlocks: args.boolean('track_routed_blocks', true),
    predictInFlight: args.boolean('predict_in_flight', false),
  };
  return new KvCacheAwareRouter(servers, options, prefixIndex ?? new PrefixIndex({ maxBytes: OWN_INDEX_BYTES }));
}

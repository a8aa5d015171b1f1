import { BLOCK_HASH_ALGORITHM } from '@roost/block-cache';
import type { ServerSection } from '@roost/config';
import { PromptPool } from '@roost/prompt-pool';
import type { GetInfoResponse } from '@roost/protocol';

import type { TokenUse } from './routed-fleet.js';

/** What a fleet's router wants to know a prompt's tokens for; null when it does not. */
export function tokenUseOf({ router }: ServerSection): TokenUse | null {
  if (router.type.toLowerCase() === 'kv_cache_aware') return 'blocks';
  return router['use_token_ids'] === true ? 'content' : null;
}

/**
 * What keeps a worker from being used where requests are placed by their tokens: edge and worker would speak of different
 * blocks. Null when they agree.
 */
export function disagreementOf(section: ServerSection, info: GetInfoResponse): string | null {
  const { tokens_per_block: configured } = section.router;
  if (info.promptFormat !== PromptPool.format) {
    return `it tokenises prompts as ${info.promptFormat || 'an unknown format'}, the edge as ${PromptPool.format}`;
  }
  if (info.kvCacheHashAlgo !== BLOCK_HASH_ALGORITHM) {
    return `it hashes blocks with ${info.kvCacheHashAlgo || 'an unknown algorithm'}, the edge with ${BLOCK_HASH_ALGORITHM}`;
  }
  if (info.tokensPerBlock === 0) return 'its blocks have no tokens';
  if (tokenUseOf(section) === 'blocks' && typeof configured === 'number' && configured !== info.tokensPerBlock) {
    return `its blocks have ${String(info.tokensPerBlock)} tokens, the router's tokens_per_block is ${String(configured)}`;
  }
  return null;
}

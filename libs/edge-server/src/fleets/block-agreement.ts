import { BLOCK_HASH_ALGORITHM } from '@roost/block-cache';
import type { ServerSection } from '@roost/config';
import { PromptPool } from '@roost/prompt-pool';
import type { GetInfoResponse } from '@roost/protocol';

/** Whether a fleet's router places requests by their tokens. */
export function placesByTokens({ router }: ServerSection): boolean {
  return comparesBlocks({ router }) || router['use_token_ids'] === true;
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
  if (comparesBlocks(section) && typeof configured === 'number' && configured !== info.tokensPerBlock) {
    return `its blocks have ${String(info.tokensPerBlock)} tokens, the router's tokens_per_block is ${String(configured)}`;
  }
  return null;
}

/** Block sizes have to agree only where blocks are compared with the worker's own. */
function comparesBlocks({ router: { type } }: Pick<ServerSection, 'router'>): boolean {
  return type.toLowerCase() === 'kv_cache_aware';
}

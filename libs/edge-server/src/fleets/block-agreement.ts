import { BLOCK_HASH_ALGORITHM } from '@roost/block-cache';
import type { ServerSection } from '@roost/config';
import type { GetInfoResponse } from '@roost/protocol';

import type { AgreedFormat } from './agreed-format.js';
import type { TokenUse } from './routed-fleet.js';

/** What a fleet's router wants to know a prompt's tokens for; null when it does not. */
export function tokenUseOf({ router }: ServerSection): TokenUse | null {
  if (router.type.toLowerCase() === 'kv_cache_aware') return 'blocks';
  return router['use_token_ids'] === true ? 'content' : null;
}

/**
 * What keeps a worker from being used where requests are placed by their tokens: it would get tokens of another vocabulary,
 * or edge and worker would speak of different blocks. Null when they agree.
 *
 * @param section of the worker's fleet; one that is not placed by tokens gets them all the same
 * @param agreed takes the worker's format over where there is none yet
 */
export function disagreementOf(section: ServerSection, info: GetInfoResponse, agreed: AgreedFormat): string | null {
  const blocks = tokenUseOf(section) === null ? null : blocksDisagreement(section, info);
  if (blocks !== null) return blocks;
  if (info.promptFormat === '') return 'it does not say how it tokenises prompts';
  if (agreed.admits(info.promptFormat)) return null;
  return `it tokenises prompts as ${info.promptFormat}, other workers as ${String(agreed.name)}`;
}

function blocksDisagreement(section: ServerSection, info: GetInfoResponse): string | null {
  const { tokens_per_block: configured } = section.router;
  if (info.kvCacheHashAlgo !== BLOCK_HASH_ALGORITHM) {
    return `it hashes blocks with ${info.kvCacheHashAlgo || 'an unknown algorithm'}, the edge with ${BLOCK_HASH_ALGORITHM}`;
  }
  if (info.tokensPerBlock === 0) return 'its blocks have no tokens';
  if (tokenUseOf(section) === 'blocks' && typeof configured === 'number' && configured !== info.tokensPerBlock) {
    return `its blocks have ${String(info.tokensPerBlock)} tokens, the router's tokens_per_block is ${String(configured)}`;
  }
  return null;
}

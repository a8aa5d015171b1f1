import { describe, expect, it } from '@jest/globals';
import { BLOCK_HASH_ALGORITHM } from '@roost/block-cache';
import { parseClusterConfig } from '@roost/config';
import { GetInfoResponse } from '@roost/protocol';

import { AgreedFormat } from './agreed-format.js';
import { disagreementOf } from './block-agreement.js';

// Owns: which workers are kept from a fleet that is placed by tokens.

function disagreement(router: string, info: object): string | null {
  const { config } = parseClusterConfig(`generation_servers: {urls: ["g:1"], router: ${router}}`);
  if (config.generation_servers === null) throw new Error('no section');
  const agreed = new AgreedFormat(() => ['this']);
  agreed.admits('this');
  const fitting = { promptFormat: 'this', kvCacheHashAlgo: BLOCK_HASH_ALGORITHM, tokensPerBlock: 32 };
  return disagreementOf(config.generation_servers, GetInfoResponse.fromPartial({ ...fitting, ...info }), agreed);
}

describe('disagreementOf', () => {
  it.each(['{type: kv_cache_aware}', '{type: kv_cache_aware, tokens_per_block: 32}', '{type: conversation}'])(
    'is none with a worker that fits %s',
    (router) => {
      expect(disagreement(router, {})).toBeNull();
    },
  );

  it.each([
    [{ promptFormat: '' }, 'does not say how it tokenises'],
    [{ promptFormat: 'another' }, 'as another, other workers as this'],
    [{ kvCacheHashAlgo: 'md5' }, 'with md5'],
    [{ tokensPerBlock: 64 }, 'its blocks have 64 tokens'],
    [{ tokensPerBlock: 0 }, 'its blocks have no tokens'],
  ])('names what does not fit: %j', (info, message) => {
    expect(disagreement('{type: kv_cache_aware, tokens_per_block: 32}', info)).toContain(message);
  });

  it('wants the format alone of a worker that is not placed by tokens: it gets them from the other fleet', () => {
    const strange = { kvCacheHashAlgo: 'md5', tokensPerBlock: 0 };
    expect(disagreement('{type: conversation}', strange)).toBeNull();
    expect(disagreement('{type: conversation}', { ...strange, promptFormat: 'another' })).toContain('as another');
  });

  it('takes blocks of no tokens for a mistake whatever is configured: no prompt has an end in them', () => {
    expect(disagreement('{type: kv_cache_aware}', { tokensPerBlock: 0 })).toBe('its blocks have no tokens');
  });
});

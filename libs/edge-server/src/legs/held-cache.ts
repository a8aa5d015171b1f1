import type { Instance } from '@roost/fleet';
import { insist } from '@roost/grpc-transport';
import { RELEASE } from '@roost/protocol';

import type { LegSigner } from './leg-signer.js';

/** The KV cache that a context worker holds, or is about to, for one attempt at a context leg. */
export interface HeldCache {
  readonly ctxRequestId: bigint;
  readonly encodedOpaqueState: string;
  readonly ctxInfoEndpoint: string;
}

const FREE_WITHIN_MS = 5_000;

/**
 * Has a context worker free a cache that nobody will fetch, again where it may not have heard. One that cannot be freed from
 * here expires by itself. This goes where legs go: on another connection it could overtake the end of the leg that has made
 * the cache.
 */
export function freeCache(signer: LegSigner, instance: Instance, cache: HeldCache): void {
  const metadata = signer.metadataForTransfer(cache);
  void insist(() => {
    const bounds = { signal: AbortSignal.timeout(FREE_WITHIN_MS), deadline: Date.now() + FREE_WITHIN_MS };
    return instance.legs.unary(RELEASE, cache, metadata, bounds);
  });
}

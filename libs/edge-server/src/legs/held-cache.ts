import type { Instance } from '@roost/fleet';
import { callUnary } from '@roost/grpc-transport';

import type { LegSigner } from './leg-signer.js';

/** The KV cache that a context worker holds, or is about to, for one attempt at a context leg. */
export interface HeldCache {
  readonly ctxRequestId: bigint;
  readonly encodedOpaqueState: string;
  readonly ctxInfoEndpoint: string;
}

const FREE_WITHIN_MS = 5_000;

/** Has a context worker free a cache that nobody will fetch. One that cannot be freed from here expires by itself. */
export function freeCache(signer: LegSigner, { kvTransfer }: Instance, cache: HeldCache): void {
  const metadata = signer.metadataForTransfer(cache);
  const bounds = { signal: new AbortController().signal, deadline: Date.now() + FREE_WITHIN_MS };
  callUnary(kvTransfer.release.bind(kvTransfer), { ...cache }, metadata, bounds).catch(() => undefined);
}

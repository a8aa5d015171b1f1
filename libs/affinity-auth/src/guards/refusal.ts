import { Metadata } from '@grpc/grpc-js';
import { RpcException } from '@nestjs/microservices';
import { ERROR_CODE, RoostError } from '@roost/protocol';

import type { AffinityAuthOptions, ProofRefusal } from './affinity-auth-options.js';

/** Tells whoever wants to know of a proof that was not one. */
export function reportRefusal(
  { keys, refused }: AffinityAuthOptions,
  proof: ProofRefusal['proof'],
  signature: string | null,
): void {
  const given = signature === null || signature === '' ? 'missing' : 'wrong';
  refused?.({ proof, reason: keys.length === 0 ? 'no_key' : given });
}

/**
 * What `decide` returns. A refusal becomes the one exception that keeps its code, text and trailers on its way through
 * Nest to the caller.
 *
 * @param onRefusal told of a refusal first
 * @throws RpcException for a RoostError of `decide`; anything else that it throws as it is
 */
export function refuseOverRpc<T>(decide: () => T, onRefusal: (error: RoostError) => void): T {
  try {
    return decide();
  } catch (error) {
    if (!(error instanceof RoostError)) throw error;
    onRefusal(error);
    const metadata = new Metadata();
    metadata.set(ERROR_CODE, error.code);
    throw new RpcException({
      code: error.kind.grpc,
      message: error.message,
      metadata,
    });
  }
}

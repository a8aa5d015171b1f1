import { Metadata } from '@grpc/grpc-js';
import { RpcException } from '@nestjs/microservices';
import { ERROR_CODE, RoostError } from '@roost/protocol';

/**
 * What `decide` returns. A refusal becomes the one exception that keeps its code, text and trailers on its way through
 * Nest to the caller.
 *
 * @throws RpcException for a RoostError of `decide`; anything else that it throws as it is
 */
export function refuseOverRpc<T>(decide: () => T): T {
  try {
    return decide();
  } catch (error) {
    if (!(error instanceof RoostError)) throw error;
    const metadata = new Metadata();
    metadata.set(ERROR_CODE, error.code);
    throw new RpcException({
      code: error.kind.grpc,
      message: error.message,
      metadata,
    });
  }
}

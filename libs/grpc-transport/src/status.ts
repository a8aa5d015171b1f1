import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { RpcException } from '@nestjs/microservices';
import { ERROR_CODE, ERROR_PARAM, type ErrorCode, isErrorCode, RoostError } from '@roost/protocol';

/** How a call ends that fails: the fields of a gRPC status. */
export interface FailedStatus {
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;
}

/** A status travels in trailers: one that is larger than peers accept blocks its connection, and every call on it. */
const MAX_DETAILS = 2_048;
const MAX_PARAM = 256;

/** The gRPC status that a handler's error ends the call with. An error without a place in the table tells the caller nothing. */
export function statusOf(error: unknown): FailedStatus {
  if (error instanceof RoostError) {
    const metadata = new Metadata();
    metadata.set(ERROR_CODE, error.code);
    if (error.param !== null) metadata.set(ERROR_PARAM, encodeURIComponent(sendable(error.param, MAX_PARAM)));
    return { code: error.kind.grpc, details: sendable(error.message, MAX_DETAILS), metadata };
  }
  if (error instanceof RpcException) {
    const inner = error.getError();
    if (typeof inner === 'object' && 'code' in inner && isStatus(inner.code)) {
      const metadata = 'metadata' in inner && inner.metadata instanceof Metadata ? inner.metadata : new Metadata();
      return { code: inner.code, details: sendable(error.message, MAX_DETAILS), metadata };
    }
  }
  return statusOf(new RoostError('internal', 'internal error'));
}

/** A text as far as it can travel: no longer than this, and without the halves of characters that have no encoding. */
function sendable(text: string, maxLength: number): string {
  return (text.length > maxLength ? `${text.slice(0, maxLength)}...` : text).toWellFormed();
}

/** Whether this is the number of a gRPC status. */
export function isStatus(code: unknown): code is status {
  return typeof code === 'number' && code in status;
}

const CODE_OF_STATUS: Partial<Record<status, ErrorCode>> = {
  // Whoever cancels a call does not ask what became of it: it was the server that cut it off.
  [status.CANCELLED]: 'worker_unavailable',
  [status.INVALID_ARGUMENT]: 'invalid_request',
  [status.NOT_FOUND]: 'not_found',
  [status.DEADLINE_EXCEEDED]: 'deadline_exceeded',
  [status.RESOURCE_EXHAUSTED]: 'overloaded',
  [status.FAILED_PRECONDITION]: 'kv_cache_gone',
  [status.ABORTED]: 'kv_transfer_failed',
  [status.UNAVAILABLE]: 'worker_unavailable',
};

/** What is said of a call that failed on its way: a transport's own text names addresses, which clients must not see. */
const MESSAGE_OF_CODE: Partial<Record<ErrorCode, string>> = {
  deadline_exceeded: 'the worker did not answer in time',
  worker_unavailable: 'the worker cannot be reached',
};

/**
 * The error that a failed call stands for: by the code in its trailers, with the text that came with it, else by its
 * status. What the transport itself says of the failure is in the cause.
 */
export function errorOfStatus(failure: ServiceError): RoostError {
  const code = failure.metadata.get(ERROR_CODE)[0];
  const param = failure.metadata.get(ERROR_PARAM)[0];
  if (isErrorCode(code)) {
    return new RoostError(code, failure.details, {
      param: typeof param === 'string' ? decoded(param) : null,
      cause: failure,
    });
  }
  // A stream that its peer resets without a status has most likely lost its process.
  const lost = failure.code === status.INTERNAL && /RST_STREAM|closed|reset/i.test(failure.details);
  const known = lost ? 'worker_unavailable' : (CODE_OF_STATUS[failure.code] ?? 'internal');
  return new RoostError(known, MESSAGE_OF_CODE[known] ?? 'the worker failed', { cause: failure });
}

/** A peer may send anything; what is not encoded as it should be names no field. */
function decoded(param: string): string | null {
  try {
    return decodeURIComponent(param);
  } catch {
    return null;
  }
}

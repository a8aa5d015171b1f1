import type { CallOptions, ClientReadableStream, ClientUnaryCall, Metadata, ServiceError } from '@grpc/grpc-js';

import { errorOfStatus } from './status.js';

/** Bounds of one outgoing call. */
export interface CallBounds {
  /** Cancels the call. */
  readonly signal: AbortSignal;
  /** When the call has failed at the latest, in milliseconds of the epoch. */
  readonly deadline: number;
}

/** A unary method of a generated client, bound to it. */
export type UnaryMethod<Request, Response> = (
  request: Request,
  metadata: Metadata,
  options: Partial<CallOptions>,
  callback: (error: ServiceError | null, response: Response) => void,
) => ClientUnaryCall;

/** A server-streaming method of a generated client, bound to it. */
export type StreamMethod<Request, Response> = (
  request: Request,
  metadata: Metadata,
  options: Partial<CallOptions>,
) => ClientReadableStream<Response>;

/**
 * Makes a unary call.
 *
 * @throws the signal's reason when it aborts, else RoostError
 */
export function callUnary<Request, Response>(
  method: UnaryMethod<Request, Response>,
  request: Request,
  metadata: Metadata,
  { signal, deadline }: CallBounds,
): Promise<Response> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const call = method(request, metadata, { deadline }, (error, response) => {
      signal.removeEventListener('abort', cancel);
      if (error === null) resolve(response);
      else reject(signal.aborted ? (signal.reason as Error) : errorOfStatus(error));
    });
    const cancel = (): void => call.cancel();
    signal.addEventListener('abort', cancel, { once: true });
  });
}

/**
 * Makes a server-streaming call and yields its messages no faster than they are taken, so that a slow consumer slows the
 * sender. The call is cancelled when the consumer stops.
 *
 * @throws the signal's reason when it aborts, else RoostError
 */
export async function* callStream<Request, Response>(
  method: StreamMethod<Request, Response>,
  request: Request,
  metadata: Metadata,
  { signal, deadline }: CallBounds,
): AsyncGenerator<Response, void, undefined> {
  signal.throwIfAborted();
  const call = method(request, metadata, { deadline });
  const cancel = (): void => call.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    for await (const message of call) yield message as Response;
  } catch (error) {
    throw signal.aborted ? signal.reason : errorOfStatus(error as ServiceError);
  } finally {
    signal.removeEventListener('abort', cancel);
    call.cancel();
    // A cancelled call still reports that it was; nobody is interested any more.
    call.on('error', () => undefined);
  }
}

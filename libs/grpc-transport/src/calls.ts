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

/** How long a stream whose consumer has stopped may take to end by itself, unless its bounds say so: not at all. */
const NO_GRACE_MS = 0;

/** Bounds of one outgoing stream. */
export interface StreamBounds extends CallBounds {
  /**
   * Milliseconds for which a stream that its consumer has left may go on before it is cancelled. Whoever leaves with the
   * last message saves both sides a cancellation, since the end is on its way.
   */
  readonly graceMs?: number;
}

/**
 * Makes a server-streaming call and yields its messages no faster than they are taken, so that a slow consumer slows the
 * sender. The call is cancelled when the consumer stops, or soon after.
 *
 * @throws the signal's reason when it aborts, else RoostError
 */
export async function* callStream<Request, Response>(
  method: StreamMethod<Request, Response>,
  request: Request,
  metadata: Metadata,
  { signal, deadline, graceMs = NO_GRACE_MS }: StreamBounds,
): AsyncGenerator<Response, void, undefined> {
  signal.throwIfAborted();
  const call = method(request, metadata, { deadline });
  const cancel = (): void => call.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const ending = new Ending(call);
  try {
    for await (const message of call.iterator({ destroyOnReturn: false })) yield message as Response;
  } catch (error) {
    throw signal.aborted ? signal.reason : errorOfStatus(error as ServiceError);
  } finally {
    signal.removeEventListener('abort', cancel);
    ending.within(signal.aborted ? NO_GRACE_MS : graceMs);
  }
}

/** Sees to it that a call that nobody listens to any more ends. */
class Ending {
  private over = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly call: ClientReadableStream<unknown>) {
    call.once('status', () => {
      this.over = true;
      clearTimeout(this.timer);
    });
  }

  within(ms: number): void {
    // However it ends, nobody is interested any more.
    this.call.on('error', () => undefined);
    if (this.over) return;
    if (ms === 0) this.call.cancel();
    else this.timer = setTimeout(() => this.call.cancel(), ms).unref();
    this.call.resume();
  }
}

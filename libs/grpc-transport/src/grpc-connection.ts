import { type ClientHttp2Stream, constants } from 'node:http2';

import type { Metadata } from '@grpc/grpc-js';
import { keep } from '@roost/held-bytes';
import { RoostError } from '@roost/protocol';

import { CallEnding, notUnderstood } from './call-ending.js';
import type { CallBounds, StreamBounds } from './calls.js';
import { Http2Session } from './http2-session.js';
import { FrameReader, framePrefix } from './message-frames.js';

/** A method as its caller sees it. */
export interface GrpcMethod<Request, Response> {
  /** E.g. `/roost.worker.v1.LegService/Prefill`. */
  readonly path: string;
  /** The bytes of a message, in parts that are sent one after the other, without being copied together. */
  encode(request: Request): readonly Uint8Array[];
  /** @throws Error for bytes that are no such message */
  decode(bytes: Uint8Array): Response;
}

const { NGHTTP2_CANCEL } = constants;
const CUT_OFF = new Error('the peer cut its last message off');
/** How long a peer that has answered may take to take what is left of the request. */
const REST_WITHIN_MS = 1_000;
/** The digits that a deadline may have on the wire. */
const MAX_TIMEOUT_MS = 99_999_999;

/**
 * The calls that every request makes, over one HTTP/2 connection: what `callUnary` and `callStream` do over a channel of
 * grpc-js, at a third of the cost. It knows neither compression, retries, nor security of the transport, nor does it keep
 * time itself: the signal has to abort at the deadline.
 */
export class GrpcConnection {
  private readonly session: Http2Session;

  /** @param server host:port */
  constructor(readonly server: string) {
    this.session = new Http2Session(server);
  }

  /**
   * Makes a unary call.
   *
   * @throws the signal's reason when it aborts, else RoostError
   */
  unary<Request, Response>(
    method: GrpcMethod<Request, Response>,
    request: Request,
    metadata: Metadata,
    bounds: CallBounds,
  ): Promise<Response> {
    const { signal } = bounds;
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const stream = this.begin(method, request, metadata, bounds);
      const ending = new CallEnding(stream);
      const frames = new FrameReader();
      let message: Buffer | undefined;
      let finished = false;
      const finish = (broken?: unknown): void => {
        if (finished) return;
        finished = true;
        signal.removeEventListener('abort', cancel);
        // A peer that answers before it has taken the request may never take it, which would stay here for it.
        if (!stream.writableFinished) leave(stream, signal.aborted ? 0 : REST_WITHIN_MS);
        const result = signal.aborted
          ? (signal.reason as Error)
          : resultOf(method, frames.isWithinMessage ? undefined : message, ending, broken);
        if (result instanceof Error) reject(result);
        else resolve(result.message);
      };
      const cancel = (): void => {
        stream.close(NGHTTP2_CANCEL);
        finish();
      };
      signal.addEventListener('abort', cancel, { once: true });
      stream.on('data', (piece: Buffer) => {
        try {
          [message = message] = frames.push(piece);
        } catch (error) {
          stream.close(NGHTTP2_CANCEL);
          finish(notUnderstood(error));
        }
      });
      stream.once('end', () => finish());
      stream.once('close', () => finish());
      stream.once('error', finish);
    });
  }

  /**
   * Makes a server-streaming call and yields its messages no faster than they are taken, so that a slow consumer slows the
   * sender. The call is cancelled when the consumer stops, or soon after.
   *
   * @throws the signal's reason when it aborts, else RoostError
   */
  async *stream<Request, Response>(
    method: GrpcMethod<Request, Response>,
    request: Request,
    metadata: Metadata,
    bounds: StreamBounds,
  ): AsyncGenerator<Response, void, undefined> {
    const { signal, graceMs = 0 } = bounds;
    signal.throwIfAborted();
    const stream = this.begin(method, request, metadata, bounds);
    const ending = new CallEnding(stream);
    const frames = new FrameReader();
    const cancel = (): void => {
      stream.close(NGHTTP2_CANCEL);
      stream.destroy(signal.reason as Error);
    };
    signal.addEventListener('abort', cancel, { once: true });
    let failure: RoostError | null;
    try {
      for await (const piece of stream.iterator({ destroyOnReturn: false })) {
        for (const message of messagesIn(piece as Buffer, frames, method)) yield message;
      }
      failure = ending.failure() ?? (frames.isWithinMessage ? notUnderstood(CUT_OFF) : null);
    } catch (error) {
      failure = error instanceof RoostError ? error : ending.failure(error);
    } finally {
      signal.removeEventListener('abort', cancel);
      leave(stream, signal.aborted ? 0 : graceMs);
    }
    signal.throwIfAborted();
    if (failure !== null) throw failure;
  }

  /** Ends the connection when its last call has ended. */
  close(): void {
    this.session.close();
  }

  private begin<Request>(
    { path, encode }: Pick<GrpcMethod<Request, unknown>, 'path' | 'encode'>,
    request: Request,
    metadata: Metadata,
    { deadline }: CallBounds,
  ): ClientHttp2Stream {
    // First: a message that cannot be encoded must not leave a call behind.
    const parts = encode(request);
    const timeout = Math.min(MAX_TIMEOUT_MS, Math.max(1, Math.ceil(deadline - Date.now())));
    const stream = this.session.request({
      ...metadata.toHttp2Headers(),
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-timeout': `${String(timeout)}m`,
    });
    // Until the connection has sent the parts it reads them where they are, also when nobody waits for the call any more.
    const kept = parts.map((part) => keep(part));
    stream.once('finish', () => {
      for (const letGo of kept) letGo();
    });
    stream.cork();
    stream.write(framePrefix(parts));
    for (const part of parts) stream.write(part);
    stream.end();
    stream.uncork();
    return stream;
  }
}

function resultOf<Response>(
  { decode }: Pick<GrpcMethod<never, Response>, 'decode'>,
  bytes: Buffer | undefined,
  ending: CallEnding,
  broken: unknown,
): RoostError | { readonly message: Response } {
  const failure = broken instanceof RoostError ? broken : ending.failure(broken);
  if (failure !== null) return failure;
  try {
    if (bytes === undefined) throw new Error('the peer sent no message, or none to its end');
    return { message: decode(bytes) };
  } catch (error) {
    return notUnderstood(error);
  }
}

/** @throws RoostError when they make no sense */
function messagesIn<Response>(
  piece: Buffer,
  frames: FrameReader,
  { decode }: Pick<GrpcMethod<never, Response>, 'decode'>,
): Response[] {
  try {
    return frames.push(piece).map((bytes) => decode(bytes));
  } catch (error) {
    throw notUnderstood(error);
  }
}

/** Sees to it that a call that nobody listens to any more ends. */
function leave(stream: ClientHttp2Stream, graceMs: number): void {
  // However it ends, nobody is interested any more.
  stream.on('error', () => undefined);
  if (stream.closed || stream.destroyed) return;
  if (graceMs > 0) {
    const timer = setTimeout(() => stream.close(NGHTTP2_CANCEL), graceMs).unref();
    stream.once('close', () => clearTimeout(timer));
  } else {
    stream.close(NGHTTP2_CANCEL);
  }
  stream.resume();
}

import { once } from 'node:events';

import type { handleServerStreamingCall, handleUnaryCall, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import { RoostError } from '@roost/protocol';

import type { CallContext } from './grpc-service.js';
import { statusOf } from './status.js';

/** A handler behind its guards: takes message, metadata and context. */
export type GuardedHandler = (request: unknown, metadata: unknown, context: CallContext) => Promise<unknown>;

/** Told of every error that has no place in the table, before the caller gets an answer that says nothing. */
export type UnexpectedErrorReporter = (method: string, error: unknown) => void;

/** Serves a unary method: one answer, or the status of what the handler threw. */
export function serveUnary(
  method: string,
  handler: GuardedHandler,
  report: UnexpectedErrorReporter,
): handleUnaryCall<unknown, unknown> {
  return (call, callback) => {
    const signal = signalOf(call);
    handler(call.request, call.metadata, { signal }).then(
      (answer) => callback(null, answer),
      (error: unknown) => {
        reportUnexpected(method, error, signal, report);
        callback(statusOf(error));
      },
    );
  };
}

/** Serves a server stream: writes no faster than the caller reads, and returns the iterable when the caller goes away. */
export function serveStream(
  method: string,
  handler: GuardedHandler,
  report: UnexpectedErrorReporter,
): handleServerStreamingCall<unknown, unknown> {
  return (call) => {
    const signal = signalOf(call);
    writeAll(call, handler, signal).then(
      () => call.end(),
      (error: unknown) => {
        reportUnexpected(method, error, signal, report);
        call.emit('error', statusOf(error));
      },
    );
  };
}

async function writeAll(
  call: ServerWritableStream<unknown, unknown>,
  handler: GuardedHandler,
  signal: AbortSignal,
): Promise<void> {
  const answers = (await handler(call.request, call.metadata, { signal })) as AsyncIterable<unknown>;
  for await (const answer of answers) {
    if (signal.aborted) return;
    if (!call.write(answer)) await once(call, 'drain', { signal });
  }
}

function signalOf(call: ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>): AbortSignal {
  const gone = new AbortController();
  const abort = (): void => gone.abort(new RoostError('client_closed_request', 'the caller cancelled the call'));
  if (call.cancelled) abort();
  else call.on('cancelled', abort);
  return gone.signal;
}

function reportUnexpected(method: string, error: unknown, signal: AbortSignal, report: UnexpectedErrorReporter): void {
  if (signal.aborted || error instanceof RoostError || statusOf(error).details !== 'internal error') return;
  report(method, error);
}

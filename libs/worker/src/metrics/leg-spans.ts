import type { Metadata } from '@grpc/grpc-js';
import type { Span, Tracer } from '@roost/observability';
import { RoostError, type Timing } from '@roost/protocol';

/** Begins the span of a call to this worker, in the trace that the call carries. */
export function beginLeg(tracer: Tracer, name: string, metadata: Metadata): Span {
  return tracer.begin(name, (field) => metadata.get(field)[0]?.toString());
}

/**
 * Adds what a leg has spent its time with until now: the queue, then the prefill, where there was one. A handoff traces
 * itself, because what it calls goes on with the trace.
 */
export function tracePhases(span: Span, rank: number | null, timing: Timing | undefined): void {
  if (span.traceId === null || timing === undefined) return;
  const { queueMs, prefillMs, handoffMs } = timing;
  const now = performance.now();
  const placed = now - prefillMs - handoffMs;
  span.set({ 'roost.rank': rank });
  span.child('queue', { at: placed - queueMs }).end('ok', placed);
  if (prefillMs > 0) span.child('prefill', { at: placed }).end('ok', now);
}

/** What a leg that threw this counts as. */
export function codeOf(error: unknown): string {
  return error instanceof RoostError ? error.code : 'internal';
}

/** Runs a step in a span, which ends as the step does. */
export async function inSpan<T>(span: Span, run: (span: Span) => Promise<T>): Promise<T> {
  let outcome = 'ok';
  try {
    return await run(span);
  } catch (error) {
    outcome = codeOf(error);
    throw error;
  } finally {
    span.end(outcome);
  }
}

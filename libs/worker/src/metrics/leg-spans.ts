import type { Metadata } from '@grpc/grpc-js';
import type { Span, Tracer } from '@roost/observability';
import { RoostError } from '@roost/protocol';

/** Begins the span of a call to this worker, in the trace that the call carries. */
export function beginLeg(tracer: Tracer, name: string, metadata: Metadata): Span {
  return tracer.begin(name, (field) => metadata.get(field)[0]?.toString());
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

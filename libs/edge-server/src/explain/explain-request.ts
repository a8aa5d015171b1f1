import type { FleetView, LegAttempt } from '../request/leg-attempt.js';
import type { ServedRequest } from '../request/served-request.js';

/** Candidates told of one choice, at most: the chosen one and the least loaded. */
const MOST_CANDIDATES = 32;

/** An instance that could have been chosen, or could not. */
export interface ExplainedCandidate {
  readonly instance: string;
  /** In the router's own unit, before this request was added. */
  readonly load: number;
  readonly chosen: boolean;
  /** False: it did not serve, or had been tried. */
  readonly available: boolean;
}

/** One attempt at a leg. */
export interface ExplainedAttempt {
  readonly leg: 'context' | 'generation';
  readonly instance: string;
  readonly decision: string;
  readonly reason: string;
  readonly routing_key: string | null;
  readonly outcome: string;
  readonly duration_ms: number | null;
  readonly candidates: readonly ExplainedCandidate[];
  /** Candidates that are not told of. */
  readonly more_candidates: number;
}

/** The figures of a leg that went through, in milliseconds. */
export interface ExplainedLeg {
  readonly instance: string;
  readonly rank: number | null;
  readonly queue_ms: number;
  readonly prefill_ms: number;
  readonly handoff_ms: number;
}

/** Why a request went where it went. Nothing of what it said or was answered. */
export interface Explanation {
  readonly request_id: string;
  /** ISO 8601. */
  readonly arrived: string;
  readonly endpoint: string;
  readonly model: string;
  readonly stream: boolean;
  readonly conversation_id: string | null;
  readonly subagent_affinity_id: string | null;
  readonly routing_key: string | null;
  readonly outcome: string;
  readonly trace_id: string | null;
  readonly attempts: readonly ExplainedAttempt[];
  readonly context: ExplainedLeg | null;
  readonly generation: ExplainedLeg | null;
  readonly prompt_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly resumed: number;
  readonly admission_ms: number | null;
  readonly ttft_ms: number | null;
  readonly total_ms: number;
}

/**
 * What there is to say of a request that has ended.
 *
 * @param arrived on the clock of `performance.now()`
 */
export function explainRequest({ id, client, identity, record, span }: ServedRequest, arrived: number): Explanation {
  const { usage, firstTextAt } = record;
  return {
    request_id: id,
    arrived: new Date(performance.timeOrigin + arrived).toISOString(),
    endpoint: client.endpoint,
    // As long as the client made it; what is longer than this names no model.
    model: client.model.slice(0, 256),
    stream: client.stream,
    conversation_id: identity.conversationId,
    subagent_affinity_id: identity.subagentAffinityId,
    routing_key: identity.routingKey,
    outcome: record.error?.code ?? 'ok',
    trace_id: span.traceId,
    attempts: record.attempts.map(explainAttempt),
    context: explainLeg(record.context),
    generation: explainLeg(record.generation),
    prompt_tokens: usage?.promptTokens ?? null,
    cached_tokens: usage?.cachedTokens ?? null,
    completion_tokens: usage?.completionTokens ?? null,
    resumed: record.resumed,
    admission_ms: record.admissionMs,
    ttft_ms: firstTextAt === null ? null : firstTextAt - arrived,
    total_ms: performance.now() - arrived,
  };
}

function explainLeg(leg: ServedRequest['record']['context']): ExplainedLeg | null {
  if (leg === null) return null;
  const { queueMs = 0, prefillMs = 0, handoffMs = 0 } = leg.timing ?? {};
  return { instance: leg.instance, rank: leg.rank, queue_ms: queueMs, prefill_ms: prefillMs, handoff_ms: handoffMs };
}

function explainAttempt({ leg, server, placement, outcome, durationMs, view }: LegAttempt): ExplainedAttempt {
  const candidates = view === null ? [] : candidatesOf(view, server);
  return {
    leg,
    instance: server,
    decision: placement.decision,
    reason: placement.reason,
    routing_key: placement.routingKey,
    outcome,
    duration_ms: durationMs,
    candidates: candidates.slice(0, MOST_CANDIDATES),
    more_candidates: Math.max(0, candidates.length - MOST_CANDIDATES),
  };
}

function candidatesOf({ loads, excluded }: FleetView, chosen: string): ExplainedCandidate[] {
  const all = [...loads].map(([instance, load]) => {
    return { instance, load, chosen: instance === chosen, available: !excluded.has(instance) };
  });
  return all.sort(
    (one, other) =>
      Number(other.chosen) - Number(one.chosen) ||
      Number(other.available) - Number(one.available) ||
      one.load - other.load,
  );
}

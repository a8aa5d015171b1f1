import type { FleetView, LegAttempt } from '../request/leg-attempt.js';
import { routingKeyOf } from '../request/routing-key.js';
import type { LegRecord, ServedRequest } from '../request/served-request.js';

/** Candidates told of one choice, at most: the chosen one and the least loaded. */
const MOST_CANDIDATES = 32;

/** The ADP router's decisions in words; a word of a newer worker's has none. */
const RANK_REASONS: Readonly<Record<string, string>> = {
  explicit: 'the request asked for it',
  sticky: "its conversation's home",
  parent: "its parent session's home",
  overflow: 'its home rank was full, the binding stays',
  prefix: 'most of its prompt lay there',
  new: 'nothing bound it to a rank, so placement chose one',
};

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

/** What a rank was working on. */
export interface ExplainedRank {
  readonly rank: number;
  readonly active_requests: number;
  readonly active_tokens: number;
  readonly chosen: boolean;
}

/** The figures of a leg that went through, in milliseconds. */
export interface ExplainedLeg {
  readonly instance: string;
  readonly rank: number | null;
  /** Why on that rank: the ADP router's word, and in words; null where the worker does not say. */
  readonly rank_decision: string | null;
  readonly rank_reason: string | null;
  /** The ranks as they were then, without this request: the chosen one and the least loaded. */
  readonly ranks: readonly ExplainedRank[];
  /** Ranks that are not told of. */
  readonly more_ranks: number;
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
  /** As in the header `x-roost-routing-key`: null where placement looked nothing up. */
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
    routing_key: routingKeyOf(record),
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

function explainLeg(leg: LegRecord | null): ExplainedLeg | null {
  if (leg === null) return null;
  const { queueMs = 0, prefillMs = 0, handoffMs = 0 } = leg.timing ?? {};
  return {
    instance: leg.instance,
    rank: leg.rank,
    ...explainRank(leg),
    queue_ms: queueMs,
    prefill_ms: prefillMs,
    handoff_ms: handoffMs,
  };
}

function explainRank(leg: LegRecord): Pick<ExplainedLeg, 'rank_decision' | 'rank_reason' | 'ranks' | 'more_ranks'> {
  if (leg.rankChoice === null) return { rank_decision: null, rank_reason: null, ranks: [], more_ranks: 0 };
  const { decision } = leg.rankChoice;
  const ranks = ranksOf(leg);
  return {
    // A worker's word, which is short unless it is none of ours.
    rank_decision: decision.slice(0, 64),
    rank_reason: RANK_REASONS[decision] ?? null,
    ranks: ranks.slice(0, MOST_CANDIDATES),
    more_ranks: Math.max(0, ranks.length - MOST_CANDIDATES),
  };
}

function ranksOf({ rank: chosen, rankChoice }: LegRecord): ExplainedRank[] {
  const all = (rankChoice?.ranks ?? []).map(({ activeRequests, activeTokens }, rank) => {
    return { rank, active_requests: activeRequests, active_tokens: activeTokens, chosen: rank === chosen };
  });
  return all.sort(
    (one, other) =>
      Number(other.chosen) - Number(one.chosen) ||
      one.active_requests - other.active_requests ||
      one.active_tokens - other.active_tokens,
  );
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

import type { Usage } from '@roost/protocol';

import type { LegRecord, RequestRecord, ServedRequest } from './served-request.js';

/** What is logged of a request, once, at its end: ids and figures, never text. Times are milliseconds. */
export function logLineOf(
  { id, client, identity, record, span }: ServedRequest,
  arrived: number,
): Record<string, unknown> {
  const { usage, error, firstTextAt, resumed } = record;
  return {
    request_id: id,
    ...(span.traceId === null ? {} : { trace_id: span.traceId }),
    endpoint: client.endpoint,
    model: client.model,
    stream: client.stream,
    conversation_id: identity.conversationId,
    subagent_affinity_id: identity.subagentAffinityId,
    outcome: error?.code ?? 'ok',
    ...errorOf(record),
    context: legOf(record.context),
    generation: legOf(record.generation),
    ...tokensOf(usage),
    resumed,
    ttft_ms: firstTextAt === null ? null : round(firstTextAt - arrived),
    total_ms: round(performance.now() - arrived),
  };
}

/** The cause is logged of failures behind the edge only: of a client's mistake it may quote the client's text. */
function errorOf({ error, attempts }: RequestRecord): Record<string, string> {
  if (error === null) return {};
  const { message, kind, cause } = error;
  const failed =
    error.code === 'client_closed_request' ? undefined : attempts.findLast(({ outcome }) => outcome === error.code);
  return {
    error: message,
    ...(kind.fault === 'upstream' && cause instanceof Error ? { cause: cause.message } : {}),
    ...(failed === undefined ? {} : { failed_on: failed.server }),
  };
}

function tokensOf(usage: Usage | null): Record<string, number> {
  if (usage === null) return {};
  const { promptTokens, cachedTokens, completionTokens } = usage;
  return { prompt_tokens: promptTokens, cached_tokens: cachedTokens, completion_tokens: completionTokens };
}

function legOf(leg: LegRecord | null): Record<string, unknown> | null {
  if (leg === null) return null;
  const { instance, rank, decision, routingKey, attempts, timing } = leg;
  return {
    instance,
    rank,
    decision,
    routing_key: routingKey,
    attempts,
    queue_ms: round(timing?.queueMs ?? 0),
    prefill_ms: round(timing?.prefillMs ?? 0),
    handoff_ms: round(timing?.handoffMs ?? 0),
  };
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

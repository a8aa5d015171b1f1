import { BoundedValues } from '@roost/observability';
import { RoostError } from '@roost/protocol';

import type { LegAttempt } from '../request/leg-attempt.js';
import type { ServedRequest } from '../request/served-request.js';

import type { EdgeMetrics } from './edge-metrics.js';

/** Different words for decisions and reasons that are told apart; more than our own routers have together. */
const MOST_WORDS = 64;

/** Takes a request's figures into the metrics, once, when it has ended. */
export class RequestRecorder {
  private readonly words = new BoundedValues(MOST_WORDS);

  constructor(private readonly metrics: EdgeMetrics) {}

  /**
   * Records a request.
   *
   * @param arrived on the clock of `performance.now()`
   */
  record(request: ServedRequest, arrived: number): void {
    const { record, client } = request;
    const route = client.endpoint;
    this.metrics.observe('requestTime', (performance.now() - arrived) / 1_000, { route });
    if (record.admissionMs !== null) this.metrics.observe('admissionWait', record.admissionMs / 1_000);
    if (record.resumed > 0) this.metrics.add('resumed', {}, record.resumed);
    if (request.signal.aborted) this.metrics.add('cancellations', { reason: cancellerOf(request.signal) });
    // A worker takes requests for the model that it serves, and for no other.
    if (record.context !== null || record.generation !== null) this.recordAnswer(request, route, arrived);
    this.recordAttempts(record.attempts);
  }

  /** Counts an answer, or a refusal, by how it ended. */
  ended(route: Route, outcome: string): void {
    this.metrics.add('requests', { route, outcome });
  }

  private recordAnswer({ record, client: { model } }: ServedRequest, route: Route, arrived: number): void {
    const { firstTextAt, endedAt, usage } = record;
    if (firstTextAt !== null) {
      this.metrics.observe('timeToFirstToken', (firstTextAt - arrived) / 1_000, { route, model });
    }
    if (usage === null) return;
    this.metrics.add('promptTokens', { model }, usage.promptTokens);
    this.metrics.add('cachedTokens', { model }, usage.cachedTokens);
    this.metrics.add('generatedTokens', { model }, usage.completionTokens);
    if (firstTextAt === null || endedAt === null || usage.completionTokens < 2) return;
    const gap = (endedAt - firstTextAt) / (usage.completionTokens - 1);
    this.metrics.observe('interTokenLatency', gap / 1_000, { route, model });
  }

  private recordAttempts(attempts: readonly LegAttempt[]): void {
    const failed: Record<LegAttempt['leg'], string | null> = { context: null, generation: null };
    for (const { leg, server, placement, outcome } of attempts) {
      const { decision, reason } = placement;
      const labels = { fleet: leg, decision: this.words.of(decision), reason: this.words.of(reason) };
      this.metrics.add('placements', labels);
      this.metrics.add('legAttempts', { fleet: leg, worker: server, outcome });
      const before = failed[leg];
      if (before !== null) this.metrics.add('legRetries', { fleet: leg, reason: before });
      failed[leg] = outcome === 'ok' || outcome === 'unused' ? null : outcome;
    }
  }
}

/** What requests are told apart by: the endpoint that they are for. */
export type Route = 'chat' | 'completions' | 'other';

/** The route of a request that was refused before it was read. */
export function routeOf(url: string): Route {
  const [path] = url.split('?');
  if (path === '/v1/chat/completions') return 'chat';
  return path === '/v1/completions' ? 'completions' : 'other';
}

function cancellerOf({ reason }: AbortSignal): string {
  const code = reason instanceof RoostError ? reason.code : null;
  if (code === 'client_closed_request') return 'client';
  return code === 'deadline_exceeded' ? 'deadline' : 'shutdown';
}

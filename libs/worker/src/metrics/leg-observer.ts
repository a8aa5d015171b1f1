import type { Metadata } from '@grpc/grpc-js';
import { NO_SPAN, type Span, type Tracer } from '@roost/observability';
import { type GenerateResponse, type PrefillResponse, type Timing, type Usage } from '@roost/protocol';

import { beginLeg, codeOf } from './leg-spans.js';
import type { WorkerMetrics } from './worker-metrics.js';

type LegName = 'context' | 'generation';

/** What a leg's failure means to its handoff. */
const HANDOFF_FAILURES = new Set(['kv_cache_gone', 'kv_transfer_failed']);

/** Takes the figures of legs from their answers, into metrics and traces. */
export class LegObserver {
  constructor(
    private readonly metrics: WorkerMetrics,
    private readonly tracer: Tracer,
  ) {}

  /**
   * Runs a context leg under observation.
   *
   * @param metadata what came with the call
   * @param run the leg, within its span
   */
  async prefill(metadata: Metadata, run: (span: Span) => Promise<PrefillResponse>): Promise<PrefillResponse> {
    const arrived = performance.now();
    const span = beginLeg(this.tracer, 'context leg', metadata);
    let outcome = 'ok';
    try {
      const answer = await run(span);
      this.timed('context', answer.timing);
      this.prefilled('context', answer.usage);
      return answer;
    } catch (error) {
      outcome = codeOf(error);
      throw error;
    } finally {
      span.end(outcome);
      this.ended('context', outcome, arrived);
    }
  }

  /**
   * Passes the messages of a generation leg on.
   *
   * @param run begins the leg within its span
   * @param metadata what came with the call
   * @param whole whether the leg has no handoff, and prefills itself
   */
  async *generate(
    metadata: Metadata,
    whole: boolean,
    run: (span: Span) => AsyncIterable<GenerateResponse>,
  ): AsyncGenerator<GenerateResponse, void> {
    const arrived = performance.now();
    const span = beginLeg(this.tracer, 'generation leg', metadata);
    let decode = NO_SPAN;
    let outcome = 'client_closed_request';
    let usage: Usage | undefined;
    try {
      for await (const message of run(span)) {
        if (message.timing !== undefined) {
          this.timed('generation', message.timing, !whole);
          decode = span.child('decode');
        }
        usage ??= message.usage;
        yield message;
      }
      outcome = 'ok';
    } catch (error) {
      outcome = codeOf(error);
      if (HANDOFF_FAILURES.has(outcome)) this.metrics.add('handoffFailures', { reason: outcome });
      throw error;
    } finally {
      decode.end(outcome);
      span.end(outcome);
      if (whole) this.prefilled('generation', usage);
      this.metrics.add('generatedTokens', {}, usage?.completionTokens ?? 0);
      this.ended('generation', outcome, arrived);
    }
  }

  private timed(leg: LegName, timing: Timing | undefined, hasHandoff = false): void {
    if (timing === undefined) return;
    this.metrics.observe('queueTime', timing.queueMs / 1_000, { leg });
    if (hasHandoff) this.metrics.observe('handoffTime', timing.handoffMs / 1_000);
    else this.metrics.observe('prefillTime', timing.prefillMs / 1_000, { leg });
  }

  private prefilled(leg: LegName, usage: Usage | undefined): void {
    if (usage === undefined) return;
    this.metrics.add('promptTokens', { leg }, usage.promptTokens);
    this.metrics.add('cachedTokens', { leg }, usage.cachedTokens);
  }

  private ended(leg: LegName, outcome: string, arrived: number): void {
    this.metrics.add('legs', { leg, outcome });
    this.metrics.observe('legTime', (performance.now() - arrived) / 1_000, { leg });
  }
}

import { Metadata } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { NO_TRACER } from '@roost/observability';
import { type GenerateResponse, type PrefillResponse, RoostError } from '@roost/protocol';

import { LegObserver } from './leg-observer.js';
import { createWorkerMetrics, type WorkerMetrics } from './worker-metrics.js';

// Owns: that every leg is counted once under how it ended, and that its figures are those of its answer.

const nothing = new Metadata();

const prefillAnswer = {
  timing: { queueMs: 2_000, prefillMs: 500, handoffMs: 0 },
  usage: { promptTokens: 100, cachedTokens: 64, completionTokens: 1 },
} as PrefillResponse;

async function* messagesThen(end: Error | null): AsyncGenerator<GenerateResponse> {
  await Promise.resolve();
  yield { timing: { queueMs: 0, prefillMs: 0, handoffMs: 250 } } as GenerateResponse;
  if (end !== null) throw end;
  yield { usage: { promptTokens: 100, cachedTokens: 64, completionTokens: 7 } } as GenerateResponse;
}

async function readAll(messages: AsyncIterable<unknown>): Promise<void> {
  for await (const message of messages) expect(message).toBeDefined();
}

async function seriesOf(metrics: WorkerMetrics): Promise<Map<string, number>> {
  const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [inOrder(line.slice(0, line.lastIndexOf(' '))), Number(line.split(' ').at(-1))]));
}

/** A series' name with its labels in the order of their names, the one on all of them last. */
function inOrder(series: string): string {
  const [name = '', labels] = series.replace('}', '').split('{');
  if (labels === undefined) return name;
  const sorted = labels
    .split(',')
    .sort((one, other) => Number(isFleet(one)) - Number(isFleet(other)) || (one < other ? -1 : 1));
  return `${name}{${sorted.join(',')}}`;
}

const isFleet = (label: string): boolean => label.startsWith('fleet=');

describe('LegObserver', () => {
  it('takes a context leg’s figures from its answer', async () => {
    const metrics = createWorkerMetrics({ role: 'CONTEXT' });
    await new LegObserver(metrics, NO_TRACER).prefill(nothing, () => Promise.resolve(prefillAnswer));
    const series = await seriesOf(metrics);
    expect(series.get('roost_worker_legs_total{leg="context",outcome="ok",fleet="context"}')).toBe(1);
    expect(series.get('roost_worker_queue_seconds_sum{leg="context",fleet="context"}')).toBe(2);
    expect(series.get('roost_worker_prefill_seconds_sum{leg="context",fleet="context"}')).toBe(0.5);
    expect(series.get('roost_worker_prompt_tokens_total{leg="context",fleet="context"}')).toBe(100);
    expect(series.get('roost_worker_cached_tokens_total{leg="context",fleet="context"}')).toBe(64);
  });

  it('counts a refusal under its code, and anything unexpected as internal', async () => {
    const metrics = createWorkerMetrics({ role: null });
    const observer = new LegObserver(metrics, NO_TRACER);
    const overloaded = new RoostError('overloaded', 'full');
    await expect(observer.prefill(nothing, () => Promise.reject(overloaded))).rejects.toBe(overloaded);
    await expect(observer.prefill(nothing, () => Promise.reject(new Error('bug')))).rejects.toThrow('bug');
    const series = await seriesOf(metrics);
    expect(series.get('roost_worker_legs_total{leg="context",outcome="overloaded",fleet="both"}')).toBe(1);
    expect(series.get('roost_worker_legs_total{leg="context",outcome="internal",fleet="both"}')).toBe(1);
  });

  it('takes a handoff’s time and the tokens of an answer, but no prefill where there was none', async () => {
    const metrics = createWorkerMetrics({ role: 'GENERATION' });
    await readAll(new LegObserver(metrics, NO_TRACER).generate(nothing, false, () => messagesThen(null)));
    const series = await seriesOf(metrics);
    expect(series.get('roost_handoff_seconds_sum{fleet="generation"}')).toBe(0.25);
    expect(series.get('roost_worker_generated_tokens_total{fleet="generation"}')).toBe(7);
    expect(series.has('roost_worker_prompt_tokens_total{leg="generation",fleet="generation"}')).toBe(false);
    expect([...series.keys()].some((name) => name.startsWith('roost_worker_prefill_seconds_sum{leg'))).toBe(false);
  });

  it('counts the prompt of a request that is served whole', async () => {
    const metrics = createWorkerMetrics({ role: null });
    await readAll(new LegObserver(metrics, NO_TRACER).generate(nothing, true, () => messagesThen(null)));
    const series = await seriesOf(metrics);
    expect(series.get('roost_worker_prompt_tokens_total{leg="generation",fleet="both"}')).toBe(100);
    expect(series.get('roost_worker_prefill_seconds_count{leg="generation",fleet="both"}')).toBe(1);
  });

  it('counts failed handoffs, and readers that went away', async () => {
    const metrics = createWorkerMetrics({ role: 'GENERATION' });
    const observer = new LegObserver(metrics, NO_TRACER);
    const gone = new RoostError('kv_cache_gone', 'gone');
    await expect(readAll(observer.generate(nothing, false, () => messagesThen(gone)))).rejects.toBe(gone);
    const left = observer.generate(nothing, false, () => messagesThen(null));
    await left.next();
    await left.return();
    const series = await seriesOf(metrics);
    expect(series.get('roost_handoff_failures_total{reason="kv_cache_gone",fleet="generation"}')).toBe(1);
    const outcomes = ['kv_cache_gone', 'client_closed_request'].map((outcome) =>
      series.get(`roost_worker_legs_total{leg="generation",outcome="${outcome}",fleet="generation"}`),
    );
    expect(outcomes).toEqual([1, 1]);
  });
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Placement } from '@roost/fleet-router';
import { RoostError } from '@roost/protocol';

import { LegAttempt } from '../request/leg-attempt.js';
import { ServedRequest } from '../request/served-request.js';

import { createEdgeMetrics, type EdgeMetrics } from './edge-metrics.js';
import { RequestRecorder, routeOf } from './request-recorder.js';

// Owns: what a request's figures become in metrics, and that no label takes what a client makes up.

const placement = (reason = 'no binding: least loaded'): Placement => {
  return { server: 'w:1', decision: 'new', reason, routingKey: 'secret-session' };
};

describe('RequestRecorder', () => {
  let metrics: EdgeMetrics;
  let recorder: RequestRecorder;

  beforeEach(() => {
    metrics = createEdgeMetrics();
    recorder = new RequestRecorder(metrics);
  });

  function requestFor(model: string, abort = new AbortController()): ServedRequest {
    return new ServedRequest('id', { endpoint: 'chat', model } as never, {} as never, Date.now(), abort.signal);
  }

  async function lines(name: string): Promise<string[]> {
    return (await metrics.text()).split('\n').filter((line) => line.startsWith(name));
  }

  function attempt(leg: 'context' | 'generation', outcome: LegAttempt['outcome'], reason?: string): LegAttempt {
    const made = new LegAttempt(leg, 'w:1', placement(reason), null);
    if (outcome !== 'unused') made.end(outcome);
    return made;
  }

  it('takes times and tokens of an answer', async () => {
    const request = requestFor('m');
    const leg = {
      instance: 'w:1',
      decision: 'new',
      reason: '',
      routingKey: null,
      attempts: 1,
      rank: 0,
      timing: null,
      rankChoice: null,
    } as const;
    Object.assign(request.record, {
      context: leg,
      usage: { promptTokens: 10, cachedTokens: 4, completionTokens: 5 },
      firstTextAt: 1_100,
      endedAt: 1_300,
      admissionMs: 20,
    });
    recorder.record(request, 1_000);
    expect(await lines('roost_time_to_first_token_seconds_sum')).toEqual([
      'roost_time_to_first_token_seconds_sum{route="chat",model="m"} 0.1',
    ]);
    expect(await lines('roost_inter_token_latency_seconds_sum')).toEqual([
      'roost_inter_token_latency_seconds_sum{route="chat",model="m"} 0.05',
    ]);
    expect(await lines('roost_admission_wait_seconds_sum')).toEqual(['roost_admission_wait_seconds_sum 0.02']);
    expect(await lines('roost_cached_prompt_tokens_total')).toEqual(['roost_cached_prompt_tokens_total{model="m"} 4']);
  });

  it('does not name a model that no worker has taken a request for', async () => {
    const request = requestFor('whatever a client writes');
    request.record.usage = { promptTokens: 1, cachedTokens: 0, completionTokens: 1 };
    recorder.record(request, 0);
    expect(await metrics.text()).not.toContain('whatever');
  });

  it('counts attempts, and retries by what the attempt before failed with', async () => {
    const request = requestFor('m');
    request.record.attempts.push(
      attempt('context', 'worker_unavailable'),
      attempt('context', 'ok'),
      attempt('generation', 'unused'),
      attempt('generation', 'ok'),
    );
    recorder.record(request, 0);
    expect(await lines('roost_leg_retries_total')).toEqual([
      'roost_leg_retries_total{fleet="context",reason="worker_unavailable"} 1',
    ]);
    expect(await lines('roost_leg_attempts_total')).toEqual([
      'roost_leg_attempts_total{fleet="context",worker="w:1",outcome="worker_unavailable"} 1',
      'roost_leg_attempts_total{fleet="context",worker="w:1",outcome="ok"} 1',
      'roost_leg_attempts_total{fleet="generation",worker="w:1",outcome="unused"} 1',
      'roost_leg_attempts_total{fleet="generation",worker="w:1",outcome="ok"} 1',
    ]);
    expect(await metrics.text()).not.toContain('secret-session');
  });

  it('keeps reasons few, whoever makes them up', async () => {
    const request = requestFor('m');
    for (let index = 0; index < 1_000; index++) {
      request.record.attempts.push(attempt('context', 'ok', `reason ${String(index)}`));
    }
    recorder.record(request, 0);
    const placements = await lines('roost_placements_total');
    expect(placements.length).toBeLessThanOrEqual(65);
    expect(placements.some((line) => line.includes('reason="other"'))).toBe(true);
  });

  it.each([
    [new RoostError('client_closed_request', 'gone'), 'client'],
    [new RoostError('deadline_exceeded', 'late'), 'deadline'],
    [new RoostError('no_instance', 'the edge is shutting down'), 'shutdown'],
  ])('tells who cancelled: %p', async (reason, by) => {
    const abort = new AbortController();
    const request = requestFor('m', abort);
    abort.abort(reason);
    recorder.record(request, 0);
    expect(await lines('roost_cancellations_total')).toEqual([`roost_cancellations_total{reason="${by}"} 1`]);
  });

  it.each([
    ['/v1/chat/completions?x=1', 'chat'],
    ['/v1/completions', 'completions'],
    ['/v1/chat/completions/../../etc', 'other'],
    ['/anything', 'other'],
  ])('knows the route of %s', (url, route) => {
    expect(routeOf(url)).toBe(route);
  });
});

import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@roost/testing';

import type { LogLine } from './harness/app-process.js';
import { PARENT_HEADER } from './harness/cluster-files.js';
import { Cluster } from './harness/cluster.js';
import { freePorts } from './harness/free-ports.js';
import { type Answer, chat, type AskOptions } from './harness/http-client.js';
import { affinityMeta, claimOf, prefillMessage } from './harness/leg-messages.js';
import { MetricsPage } from './harness/metrics-page.js';
import { type CollectedSpan, OtlpCollector } from './harness/otlp-collector.js';
import { PRIVATE_TEXT, promptOn } from './harness/private-text.js';

// Owns: what operators see of real processes - metrics that add up and name nobody, one trace a request over all of them,
// and explanations of recent requests for those on the machine only.

const DOCUMENT = path.resolve(import.meta.dirname, '../../../docs/metrics.md');
const SESSION = 'session-that-no-metric-names';

describe('observability', () => {
  let cluster: Cluster;
  let collector: OtlpCollector;
  let admin: string;
  let contextMetrics: string;
  let generationMetrics: string;

  beforeAll(async () => {
    collector = await OtlpCollector.start();
    const [adminPort = 0, contextPort = 0, generationPort = 0] = await freePorts(3);
    [admin, contextMetrics, generationMetrics] = [adminPort, contextPort, generationPort].map(
      (port) => `http://127.0.0.1:${String(port)}`,
    ) as [string, string, string];
    cluster = await Cluster.start({
      ranks: 2,
      edge: { otlp_config: { otlp_traces_endpoint: collector.url }, edge: { admin_port: adminPort } },
      worker: { otlp_traces_endpoint: `${collector.url}/v1/traces` },
      context: {
        worker: { metrics_port: contextPort },
        engine: { simulated: { prefill_tokens_per_second: 500 } },
      },
      generation: { worker: { metrics_port: generationPort } },
    });
  }, 60_000);

  afterAll(async () => {
    await cluster.settleAndStop();
    collector.close();
  }, 30_000);

  function send(topic: string, headers: Record<string, string> = {}, more: AskOptions = {}): Promise<Answer> {
    const fields = { max_tokens: 6, stream: true, ignore_eos: true };
    return chat(cluster.url, promptOn(topic, 200), fields, { ...more, headers });
  }

  const idOf = ({ headers }: Answer): string => headers.get('x-roost-request-id') ?? '';

  it('counts requests, placements, tokens and handoffs, the same on both sides', async () => {
    await send('count', { 'x-session-id': SESSION });
    await send('count', { 'x-session-id': `${SESSION}-child`, [PARENT_HEADER]: SESSION });
    await chat(cluster.url, promptOn('wrong'), { max_tokens: -1 });
    await fetch(`${cluster.url}/nowhere`);
    const edge = await MetricsPage.of(cluster.url);
    const context = await MetricsPage.of(contextMetrics);
    const generation = await MetricsPage.of(generationMetrics);
    const chats = { route: 'chat' };
    expect(edge.sum('roost_requests_total', { ...chats, outcome: 'ok' })).toBe(2);
    expect(edge.sum('roost_requests_total', { ...chats, outcome: 'invalid_request' })).toBe(1);
    expect(edge.sum('roost_requests_total', { route: 'other', outcome: 'not_found' })).toBe(1);
    expect(edge.sum('roost_placements_total', { fleet: 'context', decision: 'parent' })).toBe(1);
    expect(edge.sum('roost_time_to_first_token_seconds_count', chats)).toBe(2);
    expect(edge.sum('roost_inter_token_latency_seconds_count', chats)).toBe(2);
    expect(edge.sum('roost_generated_tokens_total')).toBe(12);
    expect(edge.sum('roost_subagent_requests_total')).toBe(1);
    expect(edge.sum('roost_bindings', { fleet: 'context' })).toBe(1);
    expect(edge.sum('roost_instance_serving')).toBe(2);
    expect(context.sum('roost_worker_legs_total', { leg: 'context', outcome: 'ok' })).toBe(2);
    expect(context.sum('roost_worker_prompt_tokens_total')).toBe(edge.sum('roost_prompt_tokens_total'));
    expect(context.sum('roost_worker_cached_tokens_total')).toBe(edge.sum('roost_cached_prompt_tokens_total'));
    expect(context.sum('roost_worker_cached_tokens_total')).toBeGreaterThan(200);
    expect(context.sum('roost_rank_decisions_total', { decision: 'parent' })).toBe(1);
    expect(context.sum('roost_rank_kv_blocks_cached')).toBeGreaterThan(0);
    expect(generation.sum('roost_handoff_seconds_count')).toBe(2);
    expect(generation.sum('roost_handoff_bytes_total', { direction: 'received' })).toBeGreaterThan(0);
    expect(generation.sum('roost_handoff_bytes_total', { direction: 'received' })).toBe(
      context.sum('roost_handoff_bytes_total', { direction: 'sent' }),
    );
  });

  it('shows only what is documented, and nobody', async () => {
    const documented = readFileSync(DOCUMENT, 'utf8');
    for (const url of [cluster.url, contextMetrics, generationMetrics]) {
      const page = await MetricsPage.of(url);
      expect(page.names.length).toBeGreaterThan(30);
      expect(page.names.filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
      expect(page.text).not.toContain(SESSION);
    }
  });

  it('counts refused signatures by reason', async () => {
    const message = prefillMessage('forged', 'forged');
    const meta = affinityMeta('parent', claimOf(message, 'parent'), 'guess');
    await expect(cluster.worker('context-0').prefill(message, meta)).rejects.toMatchObject({
      code: 'invalid_affinity_auth',
    });
    const page = await MetricsPage.of(contextMetrics);
    expect(page.sum('roost_signatures_refused_total', { proof: 'affinity', reason: 'wrong' })).toBe(1);
  });

  it('traces a request over all processes, within the client’s trace, and logs the trace', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const answer = await send('trace', { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
    await eventually(() => Promise.resolve(collector.trace(traceId).length >= 12), 10_000);
    const spans = collector.trace(traceId);
    const parentOf = ({ parentSpanId }: CollectedSpan): string | undefined => {
      const parent = spans.find(({ spanId }) => spanId === parentSpanId);
      return parent === undefined ? undefined : `${parent.service}/${parent.name}`;
    };
    const tree = spans.map((span) => `${parentOf(span) ?? span.parentSpanId} > ${span.service}/${span.name}`).sort();
    expect(tree).toEqual(
      [
        'b7ad6b7169203331 > roost-edge/edge request',
        'roost-edge/edge request > roost-edge/place context',
        'roost-edge/edge request > roost-edge/context leg',
        'roost-edge/context leg > roost-context-worker/context leg',
        'roost-context-worker/context leg > roost-context-worker/queue',
        'roost-context-worker/context leg > roost-context-worker/prefill',
        'roost-edge/edge request > roost-edge/place generation',
        'roost-edge/edge request > roost-edge/generation leg',
        'roost-edge/generation leg > roost-generation-worker/generation leg',
        'roost-generation-worker/generation leg > roost-generation-worker/queue',
        'roost-generation-worker/generation leg > roost-generation-worker/handoff',
        'roost-generation-worker/handoff > roost-context-worker/send KV cache',
        'roost-generation-worker/generation leg > roost-generation-worker/decode',
      ].sort(),
    );
    for (const { start, end, attributes } of spans) {
      expect(end).toBeGreaterThanOrEqual(start);
      expect(attributes['roost.outcome']).toBe('ok');
      expect(JSON.stringify(attributes)).not.toContain(PRIVATE_TEXT);
    }
    const line = cluster.logs('edge').find(({ request_id }) => request_id === idOf(answer));
    expect(line).toMatchObject({ trace_id: traceId });
    expect([...collector.paths]).toEqual(['/v1/traces']);
  });

  it('traces the wait and the prefill of a leg that failed', async () => {
    const traceId = 'ccf7651916cd43dd8448eb211c80319c';
    const gone = new AbortController();
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    const answer = chat(cluster.url, promptOn('long', 15_000), { max_tokens: 2 }, { headers, signal: gone.signal });
    const prefilling = async (): Promise<boolean> =>
      ((await MetricsPage.of(contextMetrics)).sum('roost_rank_active_requests') ?? 0) > 0;
    await eventually(prefilling, 10_000);
    gone.abort();
    await expect(answer).rejects.toThrow();
    const namesOf = (outcome: string): string[] =>
      collector
        .trace(traceId)
        .filter(
          ({ service, attributes }) => service === 'roost-context-worker' && attributes['roost.outcome'] === outcome,
        )
        .map(({ name }) => name)
        .sort();
    await eventually(() => Promise.resolve(namesOf('client_closed_request').length === 2), 10_000);
    expect(namesOf('client_closed_request')).toEqual(['context leg', 'prefill']);
    expect(namesOf('ok')).toEqual(['queue']);
  });

  it('counts what was made of an answer whose client went away', async () => {
    const gone = new AbortController();
    const headers = { 'x-session-id': 'left' };
    const fields = { max_tokens: 4_000, stream: true, ignore_eos: true };
    let words = 0;
    const onText = (soFar: string): void => {
      words = soFar.split(' ').length;
      if (words > 20) gone.abort();
    };
    await expect(
      chat(cluster.url, promptOn('left'), fields, { headers, onText, signal: gone.signal }),
    ).rejects.toThrow();
    const lineOf = (): LogLine | undefined =>
      cluster.logs('edge').find(({ conversation_id }) => conversation_id === 'left');
    await eventually(() => Promise.resolve(lineOf() !== undefined));
    expect(lineOf()).toMatchObject({ outcome: 'client_closed_request' });
    expect(lineOf()?.['completion_tokens']).toBeGreaterThanOrEqual(words / 2);
  });

  it('records nothing of a client that does not want it', async () => {
    const traceId = 'aaf7651916cd43dd8448eb211c80319c';
    await send('unsampled', { traceparent: `00-${traceId}-b7ad6b7169203331-00` });
    const after = await send('sampled', { traceparent: `00-${traceId.replace('aa', 'bb')}-b7ad6b7169203331-01` });
    expect(after.status).toBe(200);
    await eventually(() => Promise.resolve(collector.trace(traceId.replace('aa', 'bb')).length >= 13), 10_000);
    expect(collector.trace(traceId)).toEqual([]);
  });

  it('explains where a request went, without a word of it', async () => {
    const parent = { 'x-session-id': 'explained' };
    await send('explain', parent);
    const answer = await send('explain', { 'x-session-id': 'explained-child', [PARENT_HEADER]: 'explained' });
    const text = await (await fetch(`${admin}/requests/${idOf(answer)}`)).text();
    expect(text).not.toContain(PRIVATE_TEXT);
    expect(JSON.parse(text)).toMatchObject({
      request_id: idOf(answer),
      conversation_id: 'explained-child',
      subagent_affinity_id: 'explained',
      routing_key: 'explained',
      outcome: 'ok',
      completion_tokens: 6,
      attempts: [
        {
          leg: 'context',
          decision: 'parent',
          reason: "parent session's home",
          outcome: 'ok',
          candidates: [{ instance: cluster.addressOf('context-0'), load: 0, chosen: true, available: true }],
        },
        { leg: 'generation', decision: 'new', instance: cluster.addressOf('generation-0'), outcome: 'ok' },
      ],
      context: {
        rank_decision: 'parent',
        rank_reason: "its parent session's home",
        ranks: [{ active_requests: 0, active_tokens: 0, chosen: true }, { chosen: false }],
        more_ranks: 0,
      },
      generation: { rank_decision: 'new' },
    });
    const list = (await (await fetch(`${admin}/requests`)).json()) as { requests: { request_id: string }[] };
    expect(list.requests[0]?.request_id).toBe(idOf(answer));
    expect((await fetch(`${admin}/requests/unknown`)).status).toBe(404);
    expect((await fetch(`${cluster.url}/requests/${idOf(answer)}`)).status).toBe(404);
  });

  it('explains nothing to a web page that calls this machine by another name', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const { hostname, port } = new URL(admin);
      const asked = httpRequest({ hostname, port, path: '/requests', headers: { host: 'evil.example' } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.on('error', reject).end();
    });
    expect(status).toBe(403);
  });
});

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Explanation } from '@roost/edge-server';

import { colorsFor } from '../output/log-view.js';

import { explanationText } from './explanation-text.js';
import { fetchExplanation } from './fetch-explanation.js';

// Owns: how an explanation is asked for, what is said when there is none, and what people are shown.

const explanation: Explanation = {
  request_id: '4bf92f3577b34da6',
  arrived: '2026-11-29T23:00:00.000Z',
  endpoint: 'chat',
  model: 'tiny',
  stream: true,
  conversation_id: 'child',
  subagent_affinity_id: 'main',
  routing_key: 'main',
  outcome: 'ok',
  trace_id: null,
  attempts: [
    {
      leg: 'context',
      instance: 'c:1',
      decision: 'parent',
      reason: "parent session's home",
      routing_key: 'main',
      outcome: 'ok',
      duration_ms: 12.34,
      candidates: [
        { instance: 'c:1', load: 40, chosen: true, available: true },
        { instance: 'c:2', load: 0, chosen: false, available: true },
        { instance: 'c:3', load: 0, chosen: false, available: false },
      ],
      more_candidates: 7,
    },
  ],
  context: {
    instance: 'c:1',
    rank: 3,
    rank_decision: 'parent',
    rank_reason: "its parent session's home",
    ranks: [
      { rank: 3, active_requests: 5, active_tokens: 12_345, chosen: true },
      { rank: 0, active_requests: 0, active_tokens: 0, chosen: false },
    ],
    more_ranks: 2,
    queue_ms: 1,
    prefill_ms: 10,
    handoff_ms: 0,
  },
  generation: null,
  prompt_tokens: 100,
  cached_tokens: 96,
  completion_tokens: 5,
  resumed: 0,
  admission_ms: 0.5,
  ttft_ms: 20,
  total_ms: 30,
};

describe('fetchExplanation', () => {
  let server: Server;
  let admin: URL;
  let asked: string[];

  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      const known = request.url === '/requests/known';
      if (request.url === '/requests/elsewhere') {
        response.writeHead(404).end(JSON.stringify({ error: { message: 'Cannot GET', code: 'not_found' } }));
        return;
      }
      response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(known ? explanation : { error: 'not among the last 1000' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    admin = new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  });

  afterEach(() => {
    server.close();
  });

  it('gives what the edge says', async () => {
    expect(await fetchExplanation(admin, 'known')).toEqual(explanation);
  });

  it('asks for what it was given and nothing else', async () => {
    await expect(fetchExplanation(admin, '../known')).rejects.toThrow('not among the last 1000');
    expect(asked).toEqual(['/requests/..%2Fknown']);
  });

  it('says what to do when it is the port for clients that answers', async () => {
    await expect(fetchExplanation(admin, 'elsewhere')).rejects.toThrow(
      `${admin.origin} answers 404 and is no admin port: give that of edge.admin_port with --admin`,
    );
  });

  it('says what to do when nothing answers', async () => {
    server.close();
    await expect(fetchExplanation(new URL('http://127.0.0.1:1'), 'known')).rejects.toThrow('set edge.admin_port');
  });
});

describe('explanationText', () => {
  it('tells the key, the decision, the candidates with their loads, and what was cached', () => {
    const text = explanationText(explanation, colorsFor(process.stdout, { NO_COLOR: '1' }));
    for (const part of [
      '4bf92f3577b34da6 ok, chat (stream) on tiny, 2026-11-29T23:00:00.000Z',
      'conversation child, parent session main, routing key main',
      "1. context leg on c:1: parent (parent session's home), ok after 12.3 ms",
      'and 7 more',
      'context leg: c:1 rank 3, queue 1.0 ms, prefill 10.0 ms',
      "rank: parent (its parent session's home)",
      'and 2 more ranks',
      'generation leg: none went through',
      '96 of 100 prompt tokens were cached, 5 made',
      'first text after 20.0 ms',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).toMatch(/c:1 +│ 40 +│ chosen/);
    expect(text).toMatch(/3 +│ 5 +│ 12345 +│ chosen/);
    expect(text).toMatch(/c:3 +│ 0 +│ not available/);
  });
});

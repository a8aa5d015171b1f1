// Owns the scenario over HTTP: what is sent, in what order, and what is read from the answers of a recorded edge.
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { sendRequest } from './edge-client.js';
import { handbook } from './handbook.js';
import { runScenario } from './scenario.js';

interface Call {
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly messages: readonly { role: string; content: string }[] };
}

const explained = {
  'content-type': 'text/event-stream',
  'x-roost-conversation-id': 'caf%C3%A9',
  'x-roost-routing-key': 'parent',
  'x-roost-context-instance': '127.0.0.1:8101',
  'x-roost-context-rank': '1',
  'x-roost-context-decision': 'bound',
  'x-roost-generation-instance': '127.0.0.1:8201',
};

const chunks = [
  { choices: [{ delta: { role: 'assistant', content: '' } }] },
  { choices: [{ delta: { content: 'Two ' } }] },
  { choices: [{ delta: { content: 'plans.' } }] },
  { choices: [], usage: { prompt_tokens: 2010, prompt_tokens_details: { cached_tokens: 1984 } } },
];

let server: Server;
let baseUrl: string;
let calls: Call[];
let answer: (response: ServerResponse) => void;

beforeEach(async () => {
  calls = [];
  answer = (response) => {
    response.writeHead(200, explained);
    for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end('data: [DONE]\n\n');
  };
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      calls.push({ headers: request.headers, body: JSON.parse(Buffer.concat(parts).toString()) as Call['body'] });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const run = (which: 'with_parent_header' | 'without_parent_header'): ReturnType<typeof runScenario> =>
  runScenario(which, 'salt', (request) => sendRequest(request, { baseUrl, parentHeader: 'X-Parent', model: 'm' }));

describe('runScenario', () => {
  it('lets sub-agents extend what the parent has seen, each in a session of its own that names the parent', async () => {
    await run('with_parent_header');
    expect(calls.map(({ headers }) => headers['x-parent'])).toEqual([undefined, 'parent-salt', 'parent-salt']);
    expect(new Set(calls.map(({ headers }) => headers['x-session-id']))).toEqual(
      new Set(['parent-salt', 'sub-a-salt', 'sub-b-salt']),
    );
    const [parent, ...subAgents] = calls.map(({ body }) => body.messages);
    for (const messages of subAgents) {
      expect(messages.slice(0, 2)).toEqual(parent);
      expect(messages[2]).toEqual({ role: 'assistant', content: 'Two plans.' });
      expect(messages).toHaveLength(4);
    }
    expect(subAgents[0]?.[3]).not.toEqual(subAgents[1]?.[3]);
  });

  it('sends the same without the header', async () => {
    await run('without_parent_header');
    expect(calls.map(({ headers }) => headers['x-parent'])).toEqual([undefined, undefined, undefined]);
  });

  it('reads placement, usage and the time to the first text from the answer', async () => {
    const [parent, subAgent] = await run('with_parent_header');
    expect(subAgent?.text).toBe('Two plans.');
    expect(subAgent?.result).toEqual({
      run: 'with_parent_header',
      name: 'sub-agent A',
      session_id: 'sub-a-salt',
      parent_session_id: 'parent-salt',
      routing_key: 'parent',
      conversation_id: 'café',
      context_instance: '127.0.0.1:8101',
      context_rank: 1,
      context_decision: 'bound',
      generation_instance: '127.0.0.1:8201',
      generation_rank: null,
      generation_decision: null,
      request_id: null,
      prompt_tokens: 2010,
      cached_tokens: 1984,
      ttft_ms: expect.any(Number),
    });
    expect(parent?.result.parent_session_id).toBeNull();
  });

  it('passes on what the edge says is wrong', async () => {
    answer = (response) => response.writeHead(503).end('{"error":{"message":"no context instance is serving"}}');
    await expect(run('with_parent_header')).rejects.toThrow('answered 503: no context instance is serving');
  });

  it('passes on an error in the middle of a stream', async () => {
    answer = (response) => response.end('data: {"error":{"message":"deadline exceeded"}}\n\n');
    await expect(run('with_parent_header')).rejects.toThrow('the edge broke off: deadline exceeded');
  });

  it('says how to start a cluster when nothing answers', async () => {
    server.close();
    await expect(run('with_parent_header')).rejects.toThrow(/nothing answers at .*npm start/);
  });
});

describe('handbook', () => {
  it('differs between workspaces from the first line on, and is about 2,000 tokens long', () => {
    const [a, b] = [handbook('a'), handbook('b')];
    expect(a.split('\n')[0]).not.toBe(b.split('\n')[0]);
    expect(a.split('\n').slice(1)).toEqual(b.split('\n').slice(1));
    // About four characters, or three quarters of a word, make a token.
    expect(a.length / 4).toBeGreaterThan(1_800);
    expect(a.length / 4).toBeLessThan(3_000);
  });
});

import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mainReuse, readTrace, type Trace } from '@roost/replay';

import { LiveReplay } from './live-replay.js';
import type { LiveReport } from './live-report.js';

/** Owns: what a cluster is sent and in which order, what is counted of its answers, and that all is bounded. */

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly messages: readonly { readonly content: string }[]; readonly max_tokens: number };
}

const TRACE_ROWS = [
  { agent: 'main', parent: null, seq: 0, t: 0, in: 128, keep: 0, new: [[1, 2]], out: 100 },
  { agent: 'main', parent: null, seq: 1, t: 9, in: 192, keep: 2, new: [3], out: 1, think_s: 0 },
  { agent: 'sub', parent: 'main', seq: 0, t: 9, in: 128, keep: 0, new: [1, 7], out: 1 },
];

/** A family whose parent goes on after its two sub-agents, one of which starts while it streams. */
const FAMILY = [
  { id: 's#0', agent: 's', parent: null, kind: 'main', depth: 0, trigger: 'user', wait_for: [] },
  { id: 'a#0', agent: 'a', parent: 's', kind: 'spawn', depth: 1, trigger: 'stream', wait_for: ['s#0'] },
  { id: 'b#0', agent: 'b', parent: 'gone', kind: 'spawn', depth: 1, trigger: 'spawn', wait_for: ['s#0'] },
  { id: 's#1', agent: 's', parent: null, kind: 'main', depth: 0, trigger: 'tool', wait_for: ['s#0', 'a#0', 'b#0'] },
];

async function traceOf(rows: readonly object[]): Promise<Trace> {
  return await readTrace(
    (async function* () {
      await Promise.resolve();
      for (const row of rows) yield JSON.stringify(row);
    })(),
  );
}

const smallTrace = (): Promise<Trace> =>
  traceOf(TRACE_ROWS.map((row) => ({ session: 's', model: 'm', trigger: 'tool', ...row })));

const familyTrace = (): Promise<Trace> =>
  traceOf(
    FAMILY.map((line) => ({
      ...{ t: 0, tenant: 't', model: 'm', root: 's', turn: 0, delay_s: 0, in: 64, out: 1, dialect: 'A', ...line },
      prefix: [{ ns: line.id, len: 64 }],
    })),
  );

function answer(response: ServerResponse, promptTokens: number, cachedTokens: number, isWhole = true): void {
  const usage = { prompt_tokens: promptTokens, prompt_tokens_details: { cached_tokens: cachedTokens } };
  if (isWhole) response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of [{ choices: [{ delta: { content: 'x' } }] }, { choices: [], usage }])
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  response.end('data: [DONE]\n\n');
}

describe('LiveReplay', () => {
  let server: Server;
  let received: Received[] = [];
  let respond: (response: ServerResponse, index: number) => void = () => undefined;
  beforeEach(async () => {
    received = [];
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        received.push({ headers: request.headers, body: JSON.parse(text) as Received['body'] });
        respond(response, received.length - 1);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const replay = async (change: object = {}, trace = smallTrace()): Promise<LiveReport> => {
    const { port } = server.address() as AddressInfo;
    const live = {
      ...{
        url: new URL(`http://127.0.0.1:${String(port)}`),
        model: null,
        parentHeader: 'x-parent',
        nativeHeaders: false,
        speed: 1e9,
      },
      ...{ scale: 1, maxTokens: 16, maxRequests: 100, seconds: 30, ...change },
    };
    const options = { sessionInterval: 0, thinkScale: 1, openLoop: false, oracleHorizons: [Infinity], seed: 1 };
    return await new LiveReplay(await trace, 'm', live, options, 'r').run();
  };

  it('sends prompts that share what the blocks share, and names sessions and parents', async () => {
    respond = (response) => answer(response, 130, 0);
    await replay();
    const bySession = Map.groupBy(received, ({ headers }) => headers['x-session-id']);
    const [first, second] = (bySession.get('r/s/main') ?? []).map(({ body }) => body.messages[0]?.content ?? '');
    const [sub] = bySession.get('r/s/sub') ?? [];
    const words = (text = ''): string[] => text.trim().split(' ').slice(0, -1);
    expect(words(first)).toHaveLength(128);
    expect(words(second).slice(0, 128)).toEqual(words(first));
    const subWords = words(sub?.body.messages[0]?.content);
    expect(subWords.slice(0, 64)).toEqual(words(first).slice(0, 64));
    expect(subWords.slice(64)).not.toEqual(words(first).slice(64));
    expect(sub?.headers['x-parent']).toBe('r/s/main');
    expect(bySession.get('r/s/main')?.[0]?.headers['x-parent']).toBeUndefined();
    expect(received[0]?.body.max_tokens).toBe(16);
  });

  it('counts what engines report, capped at the oracle', async () => {
    respond = (response, index) => answer(response, 200, index === 0 ? 0 : 150);
    const { classes, sent, failed } = await replay();
    expect({ sent, failed }).toEqual({ sent: 3, failed: {} });
    expect(classes.mainTool).toMatchObject({ requests: 1, cachedTokens: 150 });
    expect(mainReuse(classes.mainTool)).toMatchObject({ reusableTokens: 128, reusedTokens: 128 });
    expect(classes.mainFirst).toMatchObject({ requests: 1, inputTokens: 200 });
    expect(mainReuse(classes.mainFirst).reusableTokens).toBe(0);
    expect(classes.subFirstFresh.requests).toBe(1);
    expect(mainReuse(classes.subFirstFresh)).toMatchObject({ reusableTokens: 64, reusedTokens: 64 });
  });

  it('goes on after failures, and says what they were', async () => {
    respond = (response, index) => {
      if (index > 0) answer(response, 100, 0);
      else response.writeHead(503).end('busy');
    };
    const { sent, failed, classes } = await replay();
    expect(sent).toBe(3);
    expect(failed).toEqual({ 'status 503: busy': 1 });
    expect(classes.total.requests).toBe(2);
  });

  it('sends a request after all that it waits for, by the headers of its harness if asked to', async () => {
    respond = (response, index) => {
      // The first answer is held until the sub-agent has come that starts while it streams.
      if (index === 0) response.writeHead(200).write('data: {"choices":[{"delta":{"content":"x"}}]}\n\n');
      if (index === 1 && first !== undefined) answer(first, 100, 0, false);
      if (index === 0) first = response;
      else answer(response, 100, 0);
    };
    let first: ServerResponse | undefined;
    await replay({ nativeHeaders: true }, familyTrace());
    const agents = received.map(({ headers }) => headers['x-claude-code-agent-id']);
    expect(agents).toEqual([undefined, 'r/s/a', 'r/s/b', undefined]);
    expect(received[1]?.headers).not.toHaveProperty('x-claude-code-parent-agent-id');
    expect(received[2]?.headers).toHaveProperty('x-claude-code-parent-agent-id', 'r/gone');
  });

  it('sends no more than allowed, and ends in time', async () => {
    respond = (response) => answer(response, 100, 0);
    expect((await replay({ maxRequests: 1 })).sent).toBe(1);
    respond = () => undefined;
    const { classes, failed } = await replay({ seconds: 0.05 });
    expect(classes.total.requests).toBe(0);
    expect(failed).toEqual({});
  });

  it('divides prompts', async () => {
    respond = (response) => answer(response, 100, 0);
    await replay({ scale: 8, maxRequests: 1 });
    expect(received[0]?.body.messages[0]?.content.trim().split(' ')).toHaveLength(2 * 8 + 1);
  });
});

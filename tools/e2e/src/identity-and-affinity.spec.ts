import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { PARENT_HEADER } from './harness/cluster-files.js';
import { Cluster } from './harness/cluster.js';
import { type Answer, ask, bodyFor } from './harness/http-client.js';
import { promptOn } from './harness/private-text.js';

// Owns: reference 8.1 over HTTP and the promise of sub-agent affinity: a sub-agent's prefill lands on its parent's instance
// and rank, finds the shared prefix there, and keeps a conversation of its own.

const BLOCK = 32;
const INTERNAL = { 'x-trtllm-subagent-affinity-id': 'attacker', 'x-trtllm-subagent-affinity-auth': 'sha256=00' };

/** Where a request went and as whom, as the explain headers tell. */
interface Route {
  readonly conversation: string | null;
  readonly key: string | null;
  readonly context: string;
  readonly generation: string;
  readonly cached: number;
  readonly prompt: number;
}

function routeOf({ status, headers, usage, raw }: Answer): Route {
  if (status !== 200 || usage === null) throw new Error(raw);
  const of = (name: string): string | null => headers.get(`x-roost-${name}`);
  return {
    conversation: of('conversation-id'),
    key: of('routing-key'),
    context: `${String(of('context-instance'))}/${String(of('context-rank'))}`,
    generation: `${String(of('generation-instance'))}/${String(of('generation-rank'))}`,
    cached: usage.cached,
    prompt: usage.prompt,
  };
}

describe('identity and affinity', () => {
  let cluster: Cluster;
  let scopeBoth: string;
  let featureOff: string;

  beforeAll(async () => {
    cluster = await Cluster.start({ contextWorkers: 2, generationWorkers: 2, ranks: 2 });
    scopeBoth = await cluster.addEdge('edge-both', { subagent_affinity_scope: 'both' });
    featureOff = await cluster.addEdge('edge-off', { conversation_affinity_header_for_subagents: null });
  }, 60_000);

  afterAll(() => cluster.settleAndStop([cluster.url, scopeBoth, featureOff]), 30_000);

  /** One request of an agent: `shared` is the part of the prompt that its family has in common. */
  async function send(
    { own, parent, more = {} }: { own?: string; parent?: string; more?: Record<string, string> },
    shared: string,
    task: string,
    { url = cluster.url, fields = {} }: { url?: string; fields?: object } = {},
  ): Promise<Route> {
    const body = bodyFor('chat/completions', '', {
      messages: [
        { role: 'system', content: promptOn(shared, 400) },
        { role: 'user', content: promptOn(task, 5) },
      ],
      max_tokens: 3,
      ...fields,
    });
    const headers = {
      ...more,
      ...(own === undefined ? {} : { 'x-session-id': own }),
      ...(parent === undefined ? {} : { [PARENT_HEADER]: parent }),
    };
    return routeOf(await ask(url, 'chat/completions', body, { headers }));
  }

  /** Requests of other agents, so that chance has something to go wrong with. */
  async function traffic(label: string, count: number, url = cluster.url): Promise<Route[]> {
    const agents = Array.from({ length: count }, (_, index) => `${label}-${String(index)}`);
    return await Promise.all(agents.map((own) => send({ own }, own, own, { url })));
  }

  it('9, 10: sub-agents land on their parent’s instance and rank, and find its prefix there', async () => {
    for (const family of ['f1', 'f2', 'f3', 'f4']) {
      const parent = await send({ own: family }, family, 'plan');
      await traffic(`${family}-others`, 3);
      const [a, b] = await Promise.all([
        send({ own: `${family}-a`, parent: family }, family, 'search'),
        send({ own: `${family}-b`, parent: family }, family, 'edit'),
      ]);
      for (const child of [a, b]) {
        expect(child.context).toBe(parent.context);
        expect(child.key).toBe(family);
        // All of the shared prefix but what does not fill a block, and the few tokens that differ.
        expect(child.cached % BLOCK).toBe(0);
        expect(child.cached).toBeGreaterThan(child.prompt - 3 * BLOCK);
      }
      expect([parent, a, b].map(({ conversation }) => conversation)).toEqual([family, `${family}-a`, `${family}-b`]);
      expect(parent.key).toBe(family);
    }
  });

  it('without the header the same agents are spread over ranks and compute the prefix again', async () => {
    const agents = await Promise.all(['s1', 's2', 's3', 's4'].map((own) => send({ own }, 'spread', own)));
    expect(new Set(agents.map(({ context }) => context)).size).toBe(4);
    expect(agents.filter(({ cached }) => cached > BLOCK)).toEqual([]);
  });

  it('scope context: generation follows the child’s own conversation', async () => {
    const parent = await send({ own: 'c0' }, 'ctx', 'plan');
    const children = await Promise.all(
      ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'].map((own) => send({ own, parent: 'c0' }, 'ctx', own)),
    );
    expect(new Set(children.map(({ context }) => context))).toEqual(new Set([parent.context]));
    expect(new Set(children.map(({ generation }) => generation)).size).toBeGreaterThan(1);
    for (const child of children) {
      const again = await send({ own: child.conversation ?? '', parent: 'c0' }, 'ctx', 'again');
      expect(again.generation).toBe(child.generation);
    }
  });

  it('scope both: generation follows the parent, too', async () => {
    for (const family of ['b1', 'b2', 'b3']) {
      const parent = await send({ own: family }, family, 'plan', { url: scopeBoth });
      await traffic(`${family}-others`, 3, scopeBoth);
      const children = await Promise.all(
        ['x', 'y', 'z'].map((name) =>
          send({ own: `${family}${name}`, parent: family }, family, name, { url: scopeBoth }),
        ),
      );
      for (const child of children) {
        expect([child.context, child.generation]).toEqual([parent.context, parent.generation]);
        expect(child.conversation).not.toBe(family);
      }
    }
  });

  it('a child that comes before its parent makes the home that the parent comes to', async () => {
    const child = await send({ own: 'early-a', parent: 'early' }, 'early', 'search');
    await traffic('early-others', 3);
    const parent = await send({ own: 'early' }, 'early', 'plan');
    expect(parent.context).toBe(child.context);
    expect(parent.cached).toBeGreaterThan(parent.prompt - 3 * BLOCK);
  });

  it('12: a sub-agent without an id gets one of its own, another each time', async () => {
    const parent = await send({ own: 'p12' }, 'p12', 'plan');
    const first = await send({ parent: 'p12' }, 'p12', 'search');
    const second = await send({ parent: 'p12' }, 'p12', 'search');
    for (const child of [first, second]) {
      expect(child.conversation).toMatch(/^subagent:/);
      expect(child).toMatchObject({ key: 'p12', context: parent.context });
    }
    expect(second.conversation).not.toBe(first.conversation);
  });

  it.each([
    [1, { 'x-session-id': 'S' }, 'S'],
    [2, { 'x-correlation-id': 'C' }, 'C'],
    [2, { 'x-session-affinity': 'A' }, 'A'],
    [2, { 'x-multi-turn-session-id': 'M' }, 'M'],
    [
      3,
      { 'x-multi-turn-session-id': 'M', 'x-session-affinity': 'A', 'x-correlation-id': 'C', 'X-Session-ID': 'S' },
      'S',
    ],
    [3, { 'x-session-id': 'S', 'X-Claude-Session-Id': 'L', 'X-Claude-Code-Session-Id': 'K' }, 'K'],
    [4, { 'x-multi-turn-session-id': 'M', 'x-session-affinity': 'A' }, 'A'],
    [5, { 'x-session-id': '   ', 'x-correlation-id': ' C ' }, 'C'],
    [6, { 'x-session-id': ' ', 'x-correlation-id': '' }, null],
  ])('%d: the conversation of %j is %j', async (_, more, conversation) => {
    expect(await send({ more }, 'headers', 'one')).toMatchObject({ conversation });
  });

  it('7: an id in the body wins over the headers', async () => {
    const fields = { conversation_params: { conversation_id: ' in-body ' } };
    expect(await send({ own: 'in-header' }, 'body', 'one', { fields })).toMatchObject({ conversation: 'in-body' });
  });

  it('8: disaggregated_params of a client change nothing', async () => {
    const forged = { request_type: 'generation_only', ctx_request_id: 1, ctx_info_endpoint: '127.0.0.1:1' };
    const fields = { disaggregated_params: forged };
    expect(await send({ own: 'forger' }, 'forged', 'one', { fields })).toMatchObject({ conversation: 'forger' });
  });

  it('11: with the feature off the parent header says nothing', async () => {
    const parent = await send({ own: 'off' }, 'off', 'plan', { url: featureOff });
    const child = await send({ own: 'off-a', parent: 'off' }, 'off', 'search', { url: featureOff });
    expect(child).toMatchObject({ conversation: 'off-a', key: 'off-a' });
    expect(child.context).not.toBe(parent.context);
    expect((await send({ parent: 'off' }, 'off', 'edit', { url: featureOff })).conversation).toBeNull();
  });

  it('13: what a client sends in the names of the server is ignored', async () => {
    const victim = await send({ own: 'attacker' }, 'victim', 'plan');
    for (const url of [cluster.url, featureOff]) {
      const fields = { conversation_params: { conversation_id: 'mallory', subagent_affinity_id: 'attacker' } };
      const byBody = await send({ more: INTERNAL }, 'victim', 'steal', { url, fields });
      expect(byBody).toMatchObject({ conversation: 'mallory', key: 'mallory' });
      const byHeader = await send({ own: 'mallet', more: INTERNAL }, 'victim', 'steal', { url });
      expect(byHeader).toMatchObject({ conversation: 'mallet', key: 'mallet' });
    }
    expect(victim.key).toBe('attacker');
  });

  it('14: the parent header is found whatever its case and padding; blank is absent', async () => {
    const parent = await send({ own: 'p14' }, 'p14', 'plan');
    const padded = await send({ own: 'p14-a', more: { 'X-PARENT-Session': '  p14\t' } }, 'p14', 'search');
    expect(padded).toMatchObject({ key: 'p14', context: parent.context });
    const blank = await send({ own: 'p14-b', parent: '  ' }, 'p14', 'search');
    expect(blank).toMatchObject({ conversation: 'p14-b', key: 'p14-b' });
  });

  it('ids outside ASCII keep their home, and reach the workers unharmed', async () => {
    const own = 'kind-é-😀';
    const inBody = { fields: { conversation_params: { conversation_id: own } } };
    const parent = await send({}, 'unicode', 'plan', inBody);
    const asHeader = Buffer.from(own).toString('latin1');
    const child = await send({ own: 'unicode-a', parent: asHeader }, 'unicode', 'search');
    expect(child.context).toBe(parent.context);
    expect(decodeURIComponent(child.key ?? '')).toBe(own);
    expect(child.cached).toBeGreaterThan(child.prompt - 3 * BLOCK);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { PARENT_HEADER } from './harness/cluster-files.js';
import { Cluster } from './harness/cluster.js';
import { chat } from './harness/http-client.js';
import { promptOn } from './harness/private-text.js';

// Owns: reference 3.3 and 8.5: both legs started together give the same answers as one after the other, and neither leg
// outlives the other's end.

describe('generation_first', () => {
  let cluster: Cluster;
  let together: string;

  beforeAll(async () => {
    cluster = await Cluster.start({ contextWorkers: 2, generationWorkers: 2, ranks: 2 });
    together = await cluster.addEdge('edge-together', { schedule_style: 'generation_first' });
  }, 60_000);

  afterAll(() => cluster.settleAndStop([cluster.url, together]), 30_000);

  it.each([
    ['whole', {}],
    ['streamed', { stream: true, stream_options: { include_usage: true } }],
  ])('answers as context_first does, %s', async (_, fields) => {
    const prompt = promptOn(`styles ${_}`).repeat(20);
    const more = { max_tokens: 30, ...fields };
    const one = await chat(cluster.url, prompt, more);
    const other = await chat(together, prompt, more);
    expect(other.status).toBe(200);
    expect([other.text, other.finishReason]).toEqual([one.text, one.finishReason]);
    expect(other.usage).toMatchObject({ prompt: one.usage?.prompt, completion: 30 });
  });

  it('tells the tokens that the context side found cached', async () => {
    const prompt = promptOn('cached').repeat(20);
    const headers = { 'x-session-id': 'cached' };
    await chat(together, prompt, { max_tokens: 5 }, { headers });
    const again = await chat(together, prompt, { max_tokens: 5 }, { headers });
    expect(again.usage?.cached).toBeGreaterThan(0);
  });

  it('keeps a sub-agent with its parent', async () => {
    const prompt = promptOn('family').repeat(20);
    const parent = await chat(together, prompt, { max_tokens: 5 }, { headers: { 'x-session-id': 'p' } });
    const headers = { 'x-session-id': 'child', [PARENT_HEADER]: 'p' };
    const child = await chat(together, `${prompt} and more`, { max_tokens: 5 }, { headers });
    for (const name of ['x-roost-context-instance', 'x-roost-context-rank']) {
      expect(child.headers.get(name)).toBe(parent.headers.get(name));
    }
    expect(child.usage?.cached).toBeGreaterThan(0);
  });

  it.each([
    ['whole', {}],
    ['streamed', { stream: true }],
  ])('ends the generation leg when the context leg has the whole answer, %s', async (_, fields) => {
    const answer = await chat(together, promptOn(`early ${_}`), { max_tokens: 1, ...fields });
    expect([answer.status, answer.finishReason]).toEqual([200, 'length']);
    expect(answer.text).not.toBe('');
    expect(answer.headers.get('x-roost-generation-instance')).toBeNull();
    await cluster.settled(together);
  });

  it('ends the generation leg when the context leg fails', async () => {
    const answer = await chat(together, promptOn('too long').repeat(10), { max_tokens: 200_000 });
    expect(answer).toMatchObject({ status: 400, error: { code: 'context_length_exceeded' } });
    await cluster.settled(together);
  });

  it('goes on when a context worker dies under it', async () => {
    const requests = Array.from({ length: 12 }, (_, at) =>
      chat(together, promptOn(`dying ${String(at)}`).repeat(40), { max_tokens: 10, stream: at % 2 === 0 }),
    );
    await cluster.kill('context-0', 'SIGKILL');
    const answers = await Promise.all(requests);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.every(({ finishReason, error }) => finishReason !== null && error === null)).toBe(true);
    await cluster.restart('context-0');
  }, 60_000);
});

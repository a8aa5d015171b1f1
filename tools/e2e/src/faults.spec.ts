import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@roost/testing';

import type { Exit, LogLine } from './harness/app-process.js';
import { Cluster } from './harness/cluster.js';
import { type Answer, chat } from './harness/http-client.js';
import { runLoad, textsOf } from './harness/load.js';
import { Once } from './harness/once.js';
import { promptOn } from './harness/private-text.js';

// Owns: the failure rules of the blueprint, on real processes: whichever worker dies, hangs or goes down, no client sees it.

const PROMPTS = 20;
const LOAD = { max_tokens: 40, ignore_eos: true };
/** Takes about two seconds. */
const STREAM = { max_tokens: 200, ignore_eos: true, stream: true };

describe('whichever worker fails, no request does', () => {
  let cluster: Cluster;
  let expected: string[];

  beforeAll(async () => {
    cluster = await Cluster.start({
      contextWorkers: 2,
      generationWorkers: 2,
      edge: { edge: { worker_connect_timeout_ms: 1_500 } },
      worker: { engine: { simulated: { decode_step_ms: 10, prefill_tokens_per_second: 20_000, speed_up: 1 } } },
    });
    expected = await textsOf(cluster.url, PROMPTS, LOAD);
  }, 60_000);

  afterAll(() => cluster.settleAndStop(), 30_000);

  const instanceOf = ({ headers }: { headers: Headers }, phase: string): string =>
    cluster.nameOf(headers.get(`x-roost-${phase}-instance`) ?? '');

  const isServing = async (name: string): Promise<boolean> => {
    const info = await cluster.clusterInfo();
    const all = [...info.context_servers, ...info.generation_servers];
    return all.some(({ server, serving }) => serving && server === cluster.addressOf(name));
  };

  it.each(['context-0', 'generation-1'])(
    '%s is killed under load, and comes back',
    async (name) => {
      const killed = new Once<Exit>();
      const { wrong, answers } = await runLoad({
        url: cluster.url,
        requests: 160,
        concurrency: 40,
        prompts: PROMPTS,
        fields: LOAD,
        expected,
        onAnswer: (count) => {
          if (count >= 20) killed.start(() => cluster.kill(name, 'SIGKILL'));
        },
      });
      await killed.result();
      await cluster.restart(name);
      expect(wrong).toEqual([]);
      expect(answers).toHaveLength(160);
      const { wrong: afterwards, answers: more } = await runLoad({
        url: cluster.url,
        requests: 40,
        concurrency: 20,
        prompts: 40,
        fields: { max_tokens: 3 },
      });
      expect(afterwards).toEqual([]);
      const phase = name.startsWith('context') ? 'context' : 'generation';
      expect(new Set(more.map((answer) => instanceOf(answer, phase)))).toContain(name);
      await cluster.settled();
    },
    30_000,
  );

  /** A stream that something is done to after some of its text, to the worker that generates it. */
  async function disturbed(topic: string, disturb: (worker: string) => void): Promise<Answer> {
    // A first, short answer of the same conversation tells where the stream will be generated.
    const headers = { 'x-session-id': topic };
    const home = await chat(cluster.url, promptOn(topic), { max_tokens: 2 }, { headers });
    let done = false;
    return await chat(
      cluster.url,
      promptOn(topic),
      { ...STREAM, stream_options: { include_usage: true } },
      {
        headers,
        onText: (soFar) => {
          if (done || soFar.length < 200) return;
          done = true;
          disturb(instanceOf(home, 'generation'));
        },
      },
    );
  }

  /** What the edge logs of a conversation's stream once that has ended. */
  const streamLine = (conversation: string): Promise<LogLine> =>
    eventually(() =>
      cluster.logs('edge').find((line) => line['conversation_id'] === conversation && line['stream'] === true),
    );

  it('a generation worker is killed in mid-stream: the stream goes on, with the same bytes', async () => {
    const undisturbed = await chat(cluster.url, promptOn('midstream'), {
      ...STREAM,
      stream_options: { include_usage: true },
    });
    let victim = '';
    const answer = await disturbed('midstream', (worker) => {
      victim = worker;
      cluster.process(worker).signal('SIGKILL');
    });
    expect(answer.error).toBeNull();
    expect(answer.text).toBe(undisturbed.text);
    expect(answer).toMatchObject({ finishReason: 'length', usage: { completion: 200 } });
    expect(await streamLine('midstream')).toMatchObject({ outcome: 'ok', resumed: 1 });
    await cluster.process(victim).exited;
    await cluster.restart(victim);
  }, 20_000);

  it('a context worker hangs: it gets no work, and its requests end when it goes on', async () => {
    const home = await chat(cluster.url, promptOn('hang'), { max_tokens: 2 }, { headers: { 'x-session-id': 'hang' } });
    const hanging = instanceOf(home, 'context');
    cluster.process(hanging).signal('SIGSTOP');
    const caught = chat(cluster.url, promptOn('hang'), { max_tokens: 2 }, { headers: { 'x-session-id': 'hang' } });
    await eventually(async () => !(await isServing(hanging)));
    const { wrong, answers } = await runLoad({
      url: cluster.url,
      requests: 20,
      concurrency: 20,
      prompts: PROMPTS,
      fields: LOAD,
      expected,
    });
    expect(wrong).toEqual([]);
    expect(answers.map((answer) => instanceOf(answer, 'context'))).not.toContain(hanging);
    cluster.process(hanging).signal('SIGCONT');
    await eventually(() => isServing(hanging));
    expect((await caught).status).toBe(200);
  }, 20_000);

  it('a generation worker hangs in mid-stream for good: the stream goes on elsewhere', async () => {
    const undisturbed = await chat(cluster.url, promptOn('stuck'), STREAM);
    let hanging = '';
    const answer = await disturbed('stuck', (worker) => {
      hanging = worker;
      cluster.process(worker).signal('SIGSTOP');
    });
    cluster.process(hanging).signal('SIGCONT');
    await eventually(() => isServing(hanging));
    expect(answer.error).toBeNull();
    expect(answer.text).toBe(undisturbed.text);
    expect(await streamLine('stuck')).toMatchObject({ outcome: 'ok', resumed: 1 });
  }, 40_000);

  it.each(['context-0', 'generation-0'])(
    '%s goes down under load: what it has begun is finished, and it exits with 0',
    async (name) => {
      const exit = new Once<Exit>();
      const { wrong } = await runLoad({
        url: cluster.url,
        requests: 120,
        concurrency: 40,
        prompts: PROMPTS,
        fields: LOAD,
        expected,
        onAnswer: (count) => {
          if (count >= 20) exit.start(() => cluster.kill(name, 'SIGTERM'));
        },
      });
      const ended = await exit.result();
      await cluster.restart(name);
      expect(wrong).toEqual([]);
      expect(ended).toEqual({ code: 0, signal: null });
    },
    30_000,
  );

  it('a generation worker goes down in mid-stream: it finishes the stream itself', async () => {
    const exit = new Once<Exit>();
    const answer = await disturbed('draining', (worker) => {
      exit.start(async () => {
        const ended = await cluster.kill(worker, 'SIGTERM');
        await cluster.restart(worker);
        return ended;
      });
    });
    expect(answer).toMatchObject({ error: null, finishReason: 'length', usage: { completion: 200 } });
    expect(await streamLine('draining')).toMatchObject({ outcome: 'ok', resumed: 0 });
    expect(await exit.result()).toEqual({ code: 0, signal: null });
  }, 20_000);

  it('the edge goes down: its streams are finished, it exits with 0, and says meanwhile that it is not ready', async () => {
    const url = await cluster.addEdge('edge-leaving', {});
    const exit = new Once<Exit>();
    const unready = new Once<boolean>();
    const answer = await chat(url, promptOn('leaving'), STREAM, {
      onText: () => {
        exit.start(() => cluster.kill('edge-leaving', 'SIGTERM'));
        unready.start(() => eventually(async () => (await fetch(`${url}/health`)).status === 503));
      },
    });
    expect(await unready.result()).toBe(true);
    expect(answer).toMatchObject({ error: null, finishReason: 'length' });
    expect(answer.text).toBe((await chat(cluster.url, promptOn('leaving'), STREAM)).text);
    expect(await exit.result()).toEqual({ code: 0, signal: null });
  }, 20_000);
});

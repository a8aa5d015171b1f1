import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findRuntime, tinyModel } from '@roost/engine-llama-cpp';
import { eventually } from '@roost/testing';

import { PARENT_HEADER } from './harness/cluster-files.js';
import { countersOf } from './harness/cluster-info.js';
import { Cluster } from './harness/cluster.js';
import { type Answer, ask, type AskOptions, chat } from './harness/http-client.js';
import { promptOn } from './harness/private-text.js';
import type { Settings } from './harness/settings.js';

// Owns: a real model behind the edge, over real processes, with a tiny model: that answers are the same disaggregated and
// aggregated, where sub-agents go, stop strings and streams of broken characters, clients that go away, files after a
// crash, and placement by what sequences hold, whose tokens workers tell. What the engine itself owes is tested beside it.

const whyNoRuntime: string | null = (() => {
  try {
    findRuntime();
    return null;
  } catch (error) {
    return String(error);
  }
})();
const title = whyNoRuntime === null ? 'a llama.cpp cluster' : `a llama.cpp cluster (skipped: ${whyNoRuntime})`;

const START_MS = 120_000;
const TEST_MS = 60_000;
const ANSWER = { model: 'tiny', temperature: 0, max_tokens: 40, ignore_eos: true };

let folder = '';
let stateFolder = '';

function engine(more: Settings = {}): Settings {
  const llama = {
    model_path: path.join(folder, 'tiny.gguf'),
    context_size: 2048,
    state_directory: stateFolder,
    ...more,
  };
  return { model: 'tiny', engine: { type: 'llama-cpp', llama_cpp: llama } };
}

const session = (id: string, parent?: string): { headers: Record<string, string> } => ({
  headers: { 'x-session-id': id, ...(parent === undefined ? {} : { [PARENT_HEADER]: parent }) },
});
const instanceOf = (answer: Answer | undefined, leg: 'context' | 'generation'): string | null =>
  answer?.headers.get(`x-roost-${leg}-instance`) ?? null;
const placeOf = ({ headers }: Answer): string =>
  `${String(headers.get('x-roost-context-instance'))}#${String(headers.get('x-roost-context-rank'))}`;

const TURNS = ['one', 'two', 'three', 'four'];
const BY_CACHE = { router: { type: 'kv_cache_aware' } };

/** A conversation, turn by turn. */
async function converse(url: string, turns: readonly string[], options: AskOptions = {}): Promise<Answer[]> {
  const messages = [{ role: 'system', content: promptOn('converse', 60) }];
  const answers: Answer[] = [];
  for (const content of turns) {
    messages.push({ role: 'user', content });
    const answer = await ask(url, 'chat/completions', { ...ANSWER, messages }, options);
    messages.push({ role: 'assistant', content: answer.text });
    answers.push(answer);
  }
  return answers;
}

/** The value of an edge's metric. */
async function metric(url: string, series: string): Promise<number> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n');
  const found = lines.find((line) => line.startsWith(`${series} `));
  if (found === undefined) throw new Error(`there is no ${series} in:\n${lines.join('\n')}`);
  return Number(found.slice(series.length));
}

const withoutTokens = (url: string): Promise<number> => metric(url, 'roost_tokenizer_skipped_total');
const blocksKnown = (url: string): Promise<number> => metric(url, 'roost_prefix_index_blocks{fleet="context"}');

(whyNoRuntime === null ? describe : describe.skip)(title, () => {
  let cluster: Cluster;
  let aggregated: Cluster;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'roost-e2e-llama-'));
    stateFolder = mkdtempSync(path.join(folder, 'states-'));
    writeFileSync(path.join(folder, 'tiny.gguf'), tinyModel());
    cluster = await Cluster.start({
      contextWorkers: 2,
      generationWorkers: 2,
      ranks: 2,
      worker: engine({ batch_tokens: 32 }),
      // A worker that is killed on purpose.
      expectedErrors: /UNAVAILABLE|ECONNREFUSED|ECONNRESET/,
    });
    aggregated = await Cluster.start({ contextWorkers: 0, worker: engine({ batch_tokens: 64 }) });
  }, START_MS);

  afterAll(async () => {
    await cluster.stop().finally(() => aggregated.stop());
    const left = readdirSync(stateFolder);
    if (left.length > 0) throw new Error(`states are left: ${left.join()}`);
    rmSync(folder, { recursive: true, force: true });
  }, TEST_MS);

  it(
    'answers alike disaggregated and aggregated, and finds a parent its cache for its sub-agents',
    async () => {
      const shared = promptOn('family', 60);
      const askAll = async (url: string): Promise<readonly [Answer, Answer, Answer]> => [
        await chat(url, shared, ANSWER, session('parent')),
        await chat(url, `${shared} and more`, ANSWER, session('child', 'parent')),
        await chat(url, `${shared} and more`, ANSWER, session('stranger')),
      ];
      const [parent, child, stranger] = await askAll(cluster.url);
      const texts = [parent, child, stranger].map(({ text }) => text);
      expect((await askAll(aggregated.url)).map(({ text }) => text)).toEqual(texts);
      expect(child.text).toBe(stranger.text);
      expect([placeOf(child) === placeOf(parent), placeOf(stranger) === placeOf(parent)]).toEqual([true, false]);
      expect(parent.usage).toMatchObject({ completion: 40, cached: 0 });
      // A token of the tiny model is a byte.
      expect(Number(child.usage?.cached)).toBeGreaterThan(shared.length);
      expect(stranger.usage?.cached).toBe(0);
    },
    TEST_MS,
  );

  it(
    'streams what it gives whole, though its characters come in pieces, and nothing of a stop string',
    async () => {
      for (const [index, { url }] of [cluster, aggregated].entries()) {
        const prompt = promptOn('stream', 20);
        const whole = await chat(url, prompt, ANSWER);
        const parts: string[] = [];
        const streamed = await chat(
          url,
          prompt,
          { ...ANSWER, stream: true },
          { onText: (soFar) => void parts.push(soFar) },
        );
        expect(streamed.text).toBe(whole.text);
        expect(parts.every((part) => whole.text.startsWith(part))).toBe(true);
        const stop = whole.text.slice(9, 12);
        const expected = whole.text.slice(0, whole.text.indexOf(stop));
        const early: string[] = [];
        const stopped = await chat(
          url,
          prompt,
          { ...ANSWER, stop: [stop], stream: true },
          { onText: (soFar) => void early.push(soFar) },
        );
        expect([index, stopped.text, stopped.finishReason]).toEqual([index, expected, 'stop']);
        expect(early.every((part) => expected.startsWith(part))).toBe(true);
      }
    },
    TEST_MS,
  );

  it(
    'draws alike with a seed, in both modes',
    async () => {
      const drawn = { ...ANSWER, temperature: 0.9, top_p: 0.9 };
      const ask = async (url: string, seed: number): Promise<string> =>
        (await chat(url, promptOn('seed', 5), { ...drawn, seed })).text;
      const first = await ask(cluster.url, 5);
      expect(await ask(aggregated.url, 5)).toBe(first);
      expect(await ask(cluster.url, 6)).not.toBe(first);
    },
    TEST_MS,
  );

  it.each(['disaggregated', 'aggregated'])(
    'holds nothing any more when the client has gone away, %s',
    async (mode) => {
      const target = mode === 'aggregated' ? aggregated : cluster;
      const leave = new AbortController();
      const long = { ...ANSWER, max_tokens: 1_500, stream: true };
      const options = { signal: leave.signal, onText: () => leave.abort() };
      await expect(chat(target.url, promptOn('leave', 10), long, options)).rejects.toThrow();
      await target.settled();
    },
    TEST_MS,
  );

  it(
    'goes on after a worker was killed in the middle of answers, which leaves no file when it is back',
    async () => {
      const long = { ...ANSWER, max_tokens: 1_500 };
      const expected = await chat(aggregated.url, promptOn('crash', 10), long);
      const answer = chat(cluster.url, promptOn('crash', 10), long, session('crash'));
      const victim = await eventually(async () => {
        const { generation_servers: generations } = await cluster.clusterInfo();
        const active = generations.find(({ ranks = [] }) => ranks.some((rank) => rank.num_active_requests > 0));
        return active === undefined ? null : cluster.nameOf(active.server);
      });
      const { pid } = cluster.process(victim);
      await cluster.kill(victim, 'SIGKILL');
      const left = (): string[] => readdirSync(stateFolder).filter((name) => name.includes(`-${String(pid)}-`));
      expect(left()).toHaveLength(1);
      await cluster.restart(victim);
      expect(left()).toEqual([]);
      expect((await answer).text).toBe(expected.text);
      await cluster.settled();
      expect(countersOf(await cluster.clusterInfo()).pinnedBlocks).toBe(0);
    },
    TEST_MS,
  );

  it(
    'tells the client in what a cache does not fit',
    async () => {
      const [context, generation] = [engine({ sequences: 4 }), engine({ sequences: 3 })];
      const unlike = await Cluster.start({ context, generation, expectedErrors: /does not fit/ });
      const { status, error } = await chat(unlike.url, promptOn('unlike', 3), ANSWER).finally(() =>
        unlike.settleAndStop(),
      );
      expect([status, error?.code]).toEqual([502, 'kv_transfer_failed']);
      expect(error?.message).toContain('the number of sequences of a rank is 4 there and 3 here');
    },
    TEST_MS,
  );

  describe('placed by what its sequences hold', () => {
    let byCache: Cluster;

    beforeAll(async () => {
      byCache = await Cluster.start({
        contextWorkers: 2,
        generationWorkers: 2,
        worker: engine(),
        edge: {
          conditional_disagg_config: { max_local_prefill_length: 300 },
          context_servers: BY_CACHE,
          generation_servers: BY_CACHE,
        },
        strangers: { simulated: { role: 'GENERATION', settings: { engine: { type: 'simulated' } } } },
      });
    }, START_MS);

    afterAll(() => byCache.settleAndStop(), TEST_MS);

    it(
      'leaves the context fleet once a generation worker holds the history, and answers alike',
      async () => {
        const [first, ...next] = await converse(byCache.url, TURNS);
        expect(instanceOf(first, 'context')).not.toBeNull();
        const home = instanceOf(first, 'generation');
        let prompt = first?.usage?.prompt ?? 0;
        for (const answer of next) {
          expect([instanceOf(answer, 'context'), instanceOf(answer, 'generation')]).toEqual([null, home]);
          // All that was there before: an answer that is no text is other tokens when it comes back.
          expect(answer.usage?.cached).toBeGreaterThanOrEqual(prompt);
          prompt = answer.usage?.prompt ?? 0;
        }
        const disaggregated = await converse(cluster.url, TURNS, session('four turns'));
        expect(disaggregated.map((answer) => instanceOf(answer, 'context') === null)).toEqual(Array(4).fill(false));
        expect(disaggregated.map(({ text }) => text)).toEqual([first, ...next].map((answer) => answer?.text));
        const whole = { conditional_disagg_config: null, context_servers: null };
        const alone = await converse(await byCache.addEdge('edge-whole', whole), TURNS);
        expect(alone.map((answer) => instanceOf(answer, 'context'))).toEqual(Array(4).fill(null));
        expect(alone.map(({ text }) => text)).toEqual(disaggregated.map(({ text }) => text));
        expect(await withoutTokens(byCache.url)).toBe(0);
      },
      TEST_MS,
    );

    it(
      'finds a prefix on the context fleet that another edge had computed',
      async () => {
        const shared = promptOn('prefix', 60);
        const complete = (url: string, end: string): Promise<Answer> =>
          ask(url, 'completions', { ...ANSWER, prompt: `${shared} ${end}` });
        const before = await complete(byCache.url, 'first');
        const url = await byCache.addEdge('edge-by-cache', { conditional_disagg_config: null });
        // What the workers hold may be on its way still.
        await eventually(async () => (await blocksKnown(url)) >= (await blocksKnown(byCache.url)));
        const after = await complete(url, 'second');
        expect(after.headers.get('x-roost-context-decision')).toBe('implicit');
        expect(instanceOf(after, 'context')).toBe(instanceOf(before, 'context'));
        expect(after.usage?.cached).toBeGreaterThanOrEqual(shared.length);
        expect(await withoutTokens(url)).toBe(0);
      },
      TEST_MS,
    );

    it(
      'does not start with workers that tokenise in different ways',
      async () => {
        const mixed = { num_instances: 1, urls: [byCache.addressOf('simulated')], ...BY_CACHE };
        await expect(byCache.addEdge('edge-mixed', { generation_servers: mixed })).rejects.toThrow(
          /instance \S+ cannot be used: it tokenises prompts as \S+, other workers as \S+/,
        );
      },
      TEST_MS,
    );
  });
});

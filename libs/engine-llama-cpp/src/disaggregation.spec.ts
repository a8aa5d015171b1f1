// Owns that an answer is the same token for token however it comes about: on one engine or across a handoff, over one, two
// and four ranks, with and without reuse, after a fork, an eviction, a retried handoff and a resumed answer.
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Engine } from '@roost/engine';

import { answerAcross, answerOn, type Ask, decodeAll, firstOf, handOver, jobOf, promptOf } from './testing/answer.js';
import { GREEDY, TinyEngines, whyNoRuntime } from './testing/tiny-engine.js';

const title = whyNoRuntime === null ? 'a llama.cpp engine' : `a llama.cpp engine (skipped: ${whyNoRuntime})`;
jest.setTimeout(60_000);
const engines = new TinyEngines();
const system = 'You are an assistant in this workspace. Work by its rules, and say what you do. ';

/** A parent's turn, two sub-agents that have seen it, and the parent's next turn. */
const family: readonly { text: string; conversationId: string }[] = [
  { text: `${system}Plan the work.`, conversationId: 'parent' },
  { text: `${system}Plan the work. You read the queries.`, conversationId: 'sub-a' },
  { text: `${system}Plan the work. You count the rows, and tell which table grew.`, conversationId: 'sub-b' },
  { text: `${system}Plan the work. Now sum up.`, conversationId: 'parent' },
  { text: 'Something else altogether, which shares nothing with the others.', conversationId: 'stranger' },
];

async function asksOf(engine: Engine, numRanks: number): Promise<readonly Ask[]> {
  const asks = family.map(async ({ text, conversationId }, index) => ({
    prompt: await promptOf(engine, text),
    conversationId,
    rank: conversationId === 'stranger' ? index % numRanks : numRanks - 1,
  }));
  return Promise.all(asks);
}

/** What an engine answers that reuses nothing and does one thing at a time. */
async function reference(asks: readonly Ask[]): Promise<readonly (readonly number[])[]> {
  const engine = await engines.open({ reuse: false, sequences: 1, batchTokens: 512 });
  const answers = [];
  for (const ask of asks) answers.push((await answerOn(engine, { ...ask, rank: 0 })).tokens);
  return answers;
}

(whyNoRuntime === null ? describe : describe.skip)(title, () => {
  afterEach(() => engines.stop());
  afterAll(() => engines.close());

  it.each([
    { numRanks: 1, reuse: true },
    { numRanks: 1, reuse: false },
    { numRanks: 2, reuse: true },
    { numRanks: 2, reuse: false },
    { numRanks: 4, reuse: true },
    { numRanks: 4, reuse: false },
  ])('answers alike on one engine and across two, $numRanks ranks, reuse $reuse', async ({ numRanks, reuse }) => {
    const [whole, context, generation] = [
      await engines.open({ numRanks, reuse }),
      await engines.open({ numRanks, reuse }),
      await engines.open({ numRanks, reuse }),
    ];
    const asks = await asksOf(whole, numRanks);
    const expected = await reference(asks);
    const found = [];
    for (const [index, ask] of asks.entries()) {
      const here = await answerOn(whole, ask);
      const across = await answerAcross(context, generation, ask);
      expect([here.tokens, across.tokens]).toEqual([expected[index], expected[index]]);
      found.push(across.cachedTokens);
    }
    const shared = system.length + 'Plan the work.'.length;
    expect(found.map((cached) => cached >= shared)).toEqual(
      reuse ? [false, true, true, true, false] : [false, false, false, false, false],
    );
  });

  it('answers alike with requests side by side, in chunks and batches', async () => {
    const [context, generation] = [await engines.open({ batchTokens: 20 }), await engines.open({ batchTokens: 20 })];
    const asks = (await asksOf(context, 1)).map((ask) => ({ ...ask, rank: 0 }));
    const expected = await reference(asks);
    const answers = await Promise.all(asks.map((ask) => answerAcross(context, generation, ask)));
    expect(answers.map(({ tokens }) => tokens)).toEqual(expected);
  });

  it('draws alike with a seed, and unlike with another', async () => {
    const [whole, context, generation] = [await engines.open(), await engines.open(), await engines.open()];
    const prompt = await promptOf(whole, system);
    const withSeed = (seed: bigint): Ask => ({ prompt, sampling: { ...GREEDY, temperature: 0.8, topP: 0.95, seed } });
    const here = await answerOn(whole, withSeed(7n));
    expect((await answerAcross(context, generation, withSeed(7n))).tokens).toEqual(here.tokens);
    expect((await answerOn(whole, withSeed(8n))).tokens).not.toEqual(here.tokens);
  });

  it('leaves the parent its cache when a sub-agent has forked', async () => {
    const engine = await engines.open();
    const [parent, subAgent, , next] = await asksOf(engine, 1);
    if (parent === undefined || subAgent === undefined || next === undefined) throw new Error('the family is gone');
    const answer = await answerOn(engine, parent);
    await answerOn(engine, subAgent);
    const spoken = Uint32Array.from([...parent.prompt, ...answer.tokens, ...next.prompt.slice(-5)]);
    const { tokens, cachedTokens } = await answerOn(engine, { ...next, prompt: spoken });
    // All that the parent has said but its last token, which was never computed.
    expect(cachedTokens).toBe(parent.prompt.length + answer.tokens.length - 1);
    expect([tokens]).toEqual(await reference([{ ...next, prompt: spoken }]));
  });

  it('answers alike where a conversation takes its last turn back', async () => {
    const engine = await engines.open();
    const asks = ['One thing.', 'No, another.', 'One thing.'].map(async (end) => ({
      prompt: await promptOf(engine, `${system}${end}`),
      conversationId: 'parent',
    }));
    const turns = await Promise.all(asks);
    const answers = [];
    for (const turn of turns) answers.push(await answerOn(engine, turn));
    const shared = (turns[0]?.prompt.length ?? 0) - 'One thing.'.length;
    expect(answers.map(({ cachedTokens }) => cachedTokens)).toEqual([0, shared, shared]);
    expect(answers.map(({ tokens }) => tokens)).toEqual(await reference(turns));
    // All in one sequence.
    expect(engine.rankStates()[0]?.kvBlocksCached).toBeLessThan(10);
  });

  it('answers alike after eviction', async () => {
    const engine = await engines.open({ sequences: 2 });
    const prompts = await Promise.all(['one', 'two', 'three'].map((name) => promptOf(engine, `${name} ${system}`)));
    const ask = (index: number): Ask => ({
      prompt: prompts[index] ?? new Uint32Array(0),
      conversationId: String(index),
    });
    const first = await answerOn(engine, ask(0));
    await answerOn(engine, ask(1));
    await answerOn(engine, ask(2));
    const again = await answerOn(engine, ask(0));
    expect(again).toEqual({ tokens: first.tokens, cachedTokens: 0 });
  });

  it('can hand a cache over again when the first try broke off', async () => {
    const [context, generation] = [await engines.open(), await engines.open()];
    const ask = { prompt: await promptOf(context, system.repeat(5)), maxTokens: 24 };
    const outcome = await context.prefill(jobOf({ ...ask, maxTokens: 1 }));
    const room = await generation.prepareImport(jobOf(ask));
    const { description, chunks } = context.exportKv(outcome.handle, 0);
    async function* brokenOff(): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) {
        yield chunk.subarray(0, 1000);
        throw new Error('the connection is lost');
      }
    }
    await expect(room.accept(description, brokenOff())).rejects.toThrow('the connection is lost');
    expect(generation.rankStates()[0]).toMatchObject({ numActiveRequests: 0, kvBlocksPinned: 0 });
    const handle = await handOver(context, generation, outcome, ask);
    const tokens = await decodeAll(generation, handle, firstOf(outcome.firstToken), ask);
    expect([tokens]).toEqual(await reference([ask]));
  });

  it('goes on with an answer that another instance has begun', async () => {
    const [one, other] = [await engines.open(), await engines.open()];
    const ask = { prompt: await promptOf(one, system) };
    const whole = await answerOn(one, ask);
    const { handle } = await other.prefill(jobOf(ask));
    const begun = whole.tokens.slice(0, 9);
    expect(await decodeAll(other, handle, begun, ask)).toEqual(whole.tokens);
  });

  it.each([
    ['where a reader has left off', 0],
    ['from an earlier token than the one that it computes next', 1],
  ])('goes on %s', async (_, earlier) => {
    const engine = await engines.open();
    const ask = { prompt: await promptOf(engine, system) };
    const whole = await answerOn(engine, ask);
    const { handle, firstToken } = await engine.prefill(jobOf(ask));
    const read = [...firstOf(firstToken)];
    for await (const more of engine.decode({ ...jobOf(ask), handle, generated: [...read] })) {
      read.push(...more);
      // The next token is being computed now.
      if (read.length > 5) break;
    }
    expect(await decodeAll(engine, handle, read.slice(0, read.length - earlier), ask)).toEqual(whole.tokens);
  });
});

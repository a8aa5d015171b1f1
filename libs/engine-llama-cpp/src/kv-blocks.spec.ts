// Owns that whoever places requests by hashes of blocks is told what sequences really hold: hashed as anybody hashes a prompt,
// gone when evicted or cut off, back when computed or received again, and found by the request that is sent there.
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import { blockHashes } from '@roost/block-cache';
import type { Engine } from '@roost/engine';

import { answerAcross, answerOn, promptOf } from './testing/answer.js';
import { TinyEngines, whyNoRuntime } from './testing/tiny-engine.js';

const title = whyNoRuntime === null ? 'blocks of sequences' : `blocks of sequences (skipped: ${whyNoRuntime})`;
jest.setTimeout(60_000);
const engines = new TinyEngines();
const BLOCK = 16;
const system = 'You are an assistant in this workspace. Work by its rules. ';

/** What a follower knows of a rank: what was held when it began, and every change since. */
function follow(engine: Engine, rank = 0): Set<bigint> {
  const known = new Set(engine.storedBlocks(rank));
  engine.onKvEvent((event) => {
    if (event.rank !== rank) return;
    const news = event.type === 'stored' ? !known.has(event.hash) : known.has(event.hash);
    if (!news) throw new Error(`told twice: ${event.type} ${String(event.hash)}`);
    if (event.type === 'stored') known.add(event.hash);
    else known.delete(event.hash);
  });
  return known;
}

/** Leading blocks of a prompt that are known. */
function matched(known: ReadonlySet<bigint>, prompt: Uint32Array): number {
  const hashes = blockHashes(prompt, BLOCK);
  const missing = hashes.findIndex((hash) => !known.has(hash));
  return missing === -1 ? hashes.length : missing;
}

(whyNoRuntime === null ? describe : describe.skip)(title, () => {
  afterEach(() => engines.stop());
  afterAll(() => engines.close());

  it('are those of prompt and answer, chained as anybody chains them, and no others', async () => {
    const engine = await engines.open();
    const known = follow(engine);
    const prompt = await promptOf(engine, `${system}Plan.`);
    const { tokens } = await answerOn(engine, { prompt });
    // The last token of an answer is made, not computed.
    const computed = Uint32Array.of(...prompt, ...tokens.slice(0, -1));
    expect(known).toEqual(new Set(blockHashes(computed, BLOCK)));
    expect(new Set(engine.storedBlocks(0))).toEqual(known);
    expect(matched(known, prompt)).toBe(Math.floor(prompt.length / BLOCK));
  });

  it('tell what a request finds, on each rank for itself', async () => {
    const engine = await engines.open({ numRanks: 2 });
    const known = [follow(engine, 0), follow(engine, 1)];
    await answerOn(engine, { prompt: await promptOf(engine, `${system}Plan.`), rank: 1 });
    const next = await promptOf(engine, `${system}Plan. And then?`);
    const foretold = known.map((held) => matched(held, next) * BLOCK);
    const found = [];
    for (const rank of [0, 1]) found.push((await answerOn(engine, { prompt: next, rank })).cachedTokens);
    expect(foretold[0]).toBe(0);
    expect(found[0]).toBe(0);
    expect(foretold[1]).toBeGreaterThan(system.length - BLOCK);
    expect(found[1]).toBeGreaterThanOrEqual(foretold[1] ?? Infinity);
  });

  it('go when their sequence is given to another, but for those that a third holds too', async () => {
    const engine = await engines.open({ sequences: 2 });
    const known = follow(engine);
    const [first, second, stranger] = [
      await promptOf(engine, `${system}First of the questions.`),
      await promptOf(engine, `${system}Second of the questions.`),
      await promptOf(engine, 'Something else altogether, which shares nothing with the others.'),
    ];
    for (const [index, prompt] of [first, second].entries()) {
      await answerOn(engine, { prompt, conversationId: String(index) });
    }
    expect([first, second].map((prompt) => matched(known, prompt))).toEqual(
      [first, second].map(({ length }) => Math.floor(length / BLOCK)),
    );
    await answerOn(engine, { prompt: stranger, conversationId: 'stranger' });
    expect(matched(known, first)).toBe(Math.floor(system.length / BLOCK));
    expect([second, stranger].map((prompt) => matched(known, prompt))).toEqual(
      [second, stranger].map(({ length }) => Math.floor(length / BLOCK)),
    );
    // Computed again, told again.
    await answerOn(engine, { prompt: first, conversationId: '0' });
    expect(matched(known, first)).toBe(Math.floor(first.length / BLOCK));
    expect(new Set(engine.storedBlocks(0))).toEqual(known);
  });

  it('come with a cache that is received, go with it, and come again', async () => {
    const [context, generation] = [await engines.open({ sequences: 1 }), await engines.open({ sequences: 1 })];
    const known = follow(generation);
    const [one, two] = [
      await promptOf(context, `${system}Plan.`),
      await promptOf(context, 'Another subject, at length.'),
    ];
    for (const [arriving, other] of [
      [one, two],
      [two, one],
      [one, two],
    ] as const) {
      await answerAcross(context, generation, { prompt: arriving });
      expect(matched(known, arriving)).toBe(Math.floor(arriving.length / BLOCK));
      expect(matched(known, other)).toBe(0);
    }
    // A whole request for what was received finds it.
    expect((await answerOn(generation, { prompt: one })).cachedTokens).toBe(one.length - 1);
  });

  it('are not told where nothing is reused', async () => {
    const engine = await engines.open({ reuse: false });
    const known = follow(engine);
    await answerOn(engine, { prompt: await promptOf(engine, `${system}Plan.`) });
    expect([known.size, engine.storedBlocks(0)]).toEqual([0, []]);
  });
});

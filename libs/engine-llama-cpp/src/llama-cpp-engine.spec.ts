// Owns what the engine does when it is not asked politely: cancellations, releases, caches that do not fit, bad requests; and
// that it leaves nothing behind.
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import { type Engine, EngineRefusal, type KvDescription, KvMismatch } from '@roost/engine';

import type { LlamaCppEngine } from './llama-cpp-engine.js';
import { answerAcross, answerOn, decodeAll, firstOf, jobOf, promptOf } from './testing/answer.js';
import { TinyEngines, whyNoRuntime } from './testing/tiny-engine.js';

jest.setTimeout(60_000);
const title = whyNoRuntime === null ? 'LlamaCppEngine' : `LlamaCppEngine (skipped: ${whyNoRuntime})`;
const engines = new TinyEngines();
const text = 'Work by the rules of this workspace, and say what you do. ';
const IDLE = { numActiveRequests: 0, numActiveTokens: 0, kvBlocksPinned: 0, numHeldHandoffs: 0 };

/** Resolves at the end of the engine's next iteration. */
function nextIteration(engine: Engine): Promise<void> {
  return new Promise((resolve) => {
    const stop = engine.onIteration(() => {
      stop();
      resolve();
    });
  });
}

/** Resolves when a rank has come to rest. */
async function atRest(engine: Engine): Promise<void> {
  while (engine.rankStates().some(({ numActiveRequests }) => numActiveRequests > 0)) await nextIteration(engine);
}

(whyNoRuntime === null ? describe : describe.skip)(title, () => {
  afterEach(() => engines.stop());
  afterAll(() => engines.close());

  it('describes itself by its model file', async () => {
    const { info } = await engines.open({ contextSize: 1_000_000, maxBatchSize: 99, sequences: 3 });
    expect(info).toMatchObject({ engine: 'llama-cpp', maxSeqLen: 4096, maxBatchSize: 3 });
    expect(info.promptFormat).toMatch(/^gguf:[0-9a-f]{16}$/);
    expect(info.kvLayout).toMatch(
      /^llama-cpp-1\/model=[0-9a-f]{16}\/sequences=3\/flash_attention=off\/library=3\.21\.1\+/,
    );
  });

  it('ends a prefill within an iteration when its signal aborts, and goes on with the others', async () => {
    const engine = await engines.open({ batchTokens: 16 });
    const other = { prompt: await promptOf(engine, 'A short one.') };
    const alone = await answerOn(engine, other);
    const controller = new AbortController();
    const long = { prompt: await promptOf(engine, text.repeat(7)), signal: controller.signal };
    const prefill = engine.prefill(jobOf(long));
    const answer = answerOn(engine, other);
    await nextIteration(engine);
    controller.abort(new Error('the client is gone'));
    await expect(prefill).rejects.toThrow('the client is gone');
    await nextIteration(engine);
    expect(engine.rankStates()[0]?.numPendingPrefillTokens).toBe(0);
    expect((await answer).tokens).toEqual(alone.tokens);
    expect(engine.rankStates()[0]).toMatchObject(IDLE);
  });

  it('ends a decode when its signal aborts; the handle stays held', async () => {
    const engine = await engines.open();
    const controller = new AbortController();
    const ask = { prompt: await promptOf(engine, text), maxTokens: 300, signal: controller.signal };
    const { handle, firstToken } = await engine.prefill(jobOf(ask));
    const decoding = decodeAll(engine, handle, firstOf(firstToken), ask);
    await nextIteration(engine);
    controller.abort(new Error('enough'));
    await expect(decoding).rejects.toThrow('enough');
    await atRest(engine);
    expect(engine.rankStates()[0]).toMatchObject({ ...IDLE, numHeldHandoffs: 1, kvBlocksPinned: expect.any(Number) });
    engine.release(handle);
    engine.release(handle);
    expect(engine.rankStates()[0]).toMatchObject(IDLE);
  });

  it('makes requests wait while all sequences are held, in order of arrival', async () => {
    const engine = await engines.open({ sequences: 1 });
    const [one, two] = [await promptOf(engine, 'one'), await promptOf(engine, 'two')];
    const held = await engine.prefill(jobOf({ prompt: one }));
    const waiting = engine.prefill(jobOf({ prompt: two }));
    const room = engine.prepareImport(jobOf({ prompt: one }));
    expect(engine.rankStates()[0]).toMatchObject({ numActiveRequests: 2, numHeldHandoffs: 1 });
    engine.release(held.handle);
    const { handle } = await waiting;
    engine.release(handle);
    (await room).abandon();
    expect(engine.rankStates()[0]).toMatchObject(IDLE);
  });

  it('fails a decode whose handle is released, and one on a handle that is gone', async () => {
    const engine = await engines.open();
    const ask = { prompt: await promptOf(engine, text), maxTokens: 300 };
    const { handle, firstToken } = await engine.prefill(jobOf(ask));
    const decoding = decodeAll(engine, handle, firstOf(firstToken), ask);
    await nextIteration(engine);
    engine.release(handle);
    await expect(decoding).rejects.toThrow('released');
    await expect(decodeAll(engine, handle, [], ask)).rejects.toThrow('the handle was released');
  });

  it('ends all jobs when it stops', async () => {
    const engine = await engines.open({ sequences: 1, batchTokens: 8 });
    const ask = { prompt: await promptOf(engine, text.repeat(5)) };
    const jobs = [engine.prefill(jobOf(ask)), engine.prepareImport(jobOf(ask))];
    await nextIteration(engine);
    const ended = Promise.allSettled(jobs);
    await engine.stop();
    expect(await ended).toMatchObject(
      jobs.map(() => ({ status: 'rejected', reason: { message: 'the engine was stopped' } })),
    );
    await expect(engine.prefill(jobOf(ask))).rejects.toThrow('the engine was stopped');
  });

  describe('as a receiver', () => {
    interface Parcel {
      readonly generation: LlamaCppEngine;
      readonly prompt: Uint32Array;
      readonly description: KvDescription;
      readonly bytes: Buffer;
    }

    async function parcel(): Promise<Parcel> {
      const [context, generation] = [await engines.open(), await engines.open()];
      const prompt = await promptOf(context, text);
      const { handle } = await context.prefill(jobOf({ prompt, maxTokens: 1 }));
      const { description, chunks } = context.exportKv(handle, 0);
      const pieces: Uint8Array[] = [];
      for await (const chunk of chunks) pieces.push(chunk);
      const bytes = Buffer.concat(pieces);
      return { generation, prompt, description, bytes };
    }

    async function refuses({ generation, prompt, description, bytes }: Parcel, reason: RegExp): Promise<void> {
      const room = await generation.prepareImport(jobOf({ prompt }));
      const accepted = room.accept(description, chunksOf(bytes));
      await expect(accepted).rejects.toThrow(KvMismatch);
      await expect(accepted).rejects.toThrow(reason);
      expect(generation.rankStates()[0]).toMatchObject(IDLE);
    }

    async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(bytes);
    }

    it('refuses what does not fit, and says what', async () => {
      const good = await parcel();
      const { description, bytes, prompt } = good;
      const layout = (from: RegExp, to: string): Parcel => ({
        ...good,
        description: { ...description, layout: description.layout.replace(from, to) },
      });
      await refuses(layout(/model=\w+/, 'model=0123'), /the model's file is 0123 there and [0-9a-f]{16} here/);
      await refuses(layout(/sequences=4/, 'sequences=9'), /the number of sequences of a rank is 9 there and 4 here/);
      await refuses(layout(/attention=off/, 'attention=on'), /flash attention is on there and off here/);
      await refuses(layout(/library=.*/, 'library=1'), /the version of the library is 1 there/);
      await refuses(layout(/^llama-cpp-1/, 'llama-cpp-0'), /the format of states/);
      await refuses({ ...good, description: { ...description, engine: 'simulated' } }, /engine/);
      await refuses({ ...good, description: { ...description, numTokens: 3 } }, /numTokens/);
      await refuses({ ...good, bytes: bytes.subarray(0, -1) }, /numBytes received/);
      await refuses({ ...good, bytes: Buffer.concat([bytes, Buffer.of(0)]) }, /more than the \d+ bytes/);
      const otherToken = Buffer.from(bytes);
      otherToken.writeUInt32LE(77, 12 + 4 * 2);
      await refuses({ ...good, bytes: otherToken }, /token 2 of the state is not that of the prompt/);
      await refuses({ ...good, bytes: Buffer.alloc(bytes.length) }, /is not the state of a llama.cpp sequence/);
      const room = await good.generation.prepareImport(jobOf({ prompt }));
      const handle = await room.accept(description, chunksOf(bytes));
      expect(handle.numTokens).toBe(prompt.length);
    });

    it('frees its room when the sender falls silent and the signal aborts', async () => {
      const { generation, prompt, description } = await parcel();
      const controller = new AbortController();
      const room = await generation.prepareImport(jobOf({ prompt, signal: controller.signal }));
      async function* silent(): AsyncGenerator<Uint8Array> {
        yield Buffer.of(1);
        await new Promise(() => undefined);
      }
      const accepted = room.accept(description, silent());
      controller.abort(new Error('too late'));
      await expect(accepted).rejects.toThrow('too late');
      expect(generation.rankStates()[0]).toMatchObject(IDLE);
    });
  });

  it('tells every block that a rank comes to hold and no longer holds', async () => {
    const engine = await engines.open({ sequences: 2 });
    const mirror = new Set<bigint>();
    engine.onKvEvent(({ type, hash }) => (type === 'stored' ? mirror.add(hash) : mirror.delete(hash)));
    for (const name of ['one', 'two', 'three', 'one']) {
      const prompt = await promptOf(engine, `${name} ${text}`);
      await answerOn(engine, { prompt, conversationId: name });
      expect(new Set(engine.storedBlocks(0))).toEqual(mirror);
      expect(mirror.size).toBeGreaterThan(2);
    }
  });

  it('foretells what a prefill finds cached, and shares nothing across salts', async () => {
    const engine = await engines.open();
    const prompt = await promptOf(engine, text);
    await answerOn(engine, { prompt });
    const longer = await promptOf(engine, `${text} And more.`);
    const foretold = engine.cachedTokens(longer)(0);
    expect(foretold).toBe(prompt.length);
    expect((await answerOn(engine, { prompt: longer })).cachedTokens).toBe(foretold);
    expect((await answerOn(engine, { prompt: longer, cacheSalt: 'tenant' })).cachedTokens).toBe(0);
    expect((await answerOn(engine, { prompt: longer, cacheSalt: 'tenant' })).cachedTokens).toBe(longer.length - 1);
  });

  it('refuses what can never fit, and tokens that the model does not know', async () => {
    const engine = await engines.open();
    const prefill = (prompt: Uint32Array, maxTokens = 1): Promise<unknown> =>
      engine.prefill(jobOf({ prompt, maxTokens }));
    await expect(prefill(new Uint32Array(500), 13)).rejects.toThrow(EngineRefusal);
    await expect(prefill(Uint32Array.of(1, 262))).rejects.toThrow('token 262 is not in the vocabulary');
    await expect(prefill(new Uint32Array(0))).rejects.toThrow('the prompt is empty');
    await expect(engine.prefill(jobOf({ prompt: Uint32Array.of(1), rank: 1 }))).rejects.toThrow(RangeError);
  });

  it('fills its context to the last token', async () => {
    const engine = await engines.open({ contextSize: 256 });
    const prompt = (await promptOf(engine, text.repeat(5))).slice(0, 200);
    expect((await answerOn(engine, { prompt, maxTokens: 56 })).tokens).toHaveLength(56);
  });

  it('ends an answer where the model does, and goes on behind that place where a request says so', async () => {
    const engine = await engines.open({ contextSize: 1024 });
    let early = 0;
    for (const word of ['one', 'two', 'three', 'four', 'five']) {
      const ask = { prompt: await promptOf(engine, word), maxTokens: 800 };
      const { tokens: whole } = await answerOn(engine, ask);
      expect(whole).toHaveLength(800);
      const { tokens } = await answerOn(engine, { ...ask, sampling: { temperature: 0, ignoreEos: false } });
      expect(whole.slice(0, tokens.length)).toEqual(tokens);
      if (tokens.length < 800) early += 1;
    }
    expect(early).toBeGreaterThan(0);
  });

  it('keeps no state and leaves no file after many requests', async () => {
    const [context, generation] = [await engines.open({ contextSize: 256 }), await engines.open({ contextSize: 256 })];
    const filesLeft = (): string[] =>
      readdirSync(engines.stateFolder).flatMap((name) => readdirSync(path.join(engines.stateFolder, name)));
    const blocks = (): number[] => [context, generation].map((engine) => engine.storedBlocks(0).length);
    const requests = async (from: number, to: number): Promise<void> => {
      for (let index = from; index < to; index += 1) {
        const prompt = await promptOf(context, `${String(index % 7)} ${text} ${String(1000 + index)}`);
        await answerAcross(context, generation, { prompt, maxTokens: 4, conversationId: String(index % 13) });
        expect(filesLeft()).toEqual([]);
      }
    };
    await requests(0, 50);
    const early = blocks();
    await requests(50, 300);
    // What is held is what four sequences hold, each of one prompt of this length.
    expect(blocks().map((count, index) => Math.abs(count - (early[index] ?? 0)) <= 4)).toEqual([true, true]);
    for (const engine of [context, generation]) {
      expect(engine.rankStates()[0]).toMatchObject(IDLE);
      await engine.stop();
    }
    expect(readdirSync(engines.stateFolder)).toEqual([]);
  });
});

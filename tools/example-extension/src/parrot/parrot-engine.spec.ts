// Owns that an engine named by `engine.module` is what a worker runs, and the parrot's own life: prefill, handoff, decode.
import { describe, expect, it } from '@jest/globals';
import { parseWorkerConfig, type WorkerConfig } from '@roost/config';
import { ENGINE, type Engine, KvMismatch } from '@roost/engine';
import { createWorker } from '@roost/worker';
import fc from 'fast-check';

import { ParrotEngine } from './parrot-engine.js';
import parrotEngineModule from './parrot-engine.module.js';

const configOf = (yaml = ''): WorkerConfig => parseWorkerConfig(`logging: { level: silent }\n${yaml}`).config;

async function parrot(): Promise<Engine> {
  const { providers = [] } = await parrotEngineModule(configOf());
  const [provider] = providers as { useFactory: () => Engine }[];
  if (provider === undefined) throw new Error('the module provides no engine');
  return provider.useFactory();
}

const job = (prompt: Uint32Array) => ({
  rank: 0,
  conversationId: null,
  prompt,
  maxTokens: prompt.length,
  sampling: { ignoreEos: false },
  signal: new AbortController().signal,
});

/** Has one engine compute a prompt, and another take it over and answer. */
async function answerOf(text: string): Promise<string> {
  const [context, generation] = [await parrot(), await parrot()];
  const prompt = await context.tokenize({ endpoint: 'completions', body: { prompt: text } });
  const { handle, firstToken } = await context.prefill(job(prompt));
  const room = await generation.prepareImport(job(prompt));
  const { description, chunks } = context.exportKv(handle, room.cachedTokens);
  const tokens = firstToken === null ? [] : [firstToken];
  const decoding = { ...job(prompt), handle: await room.accept(description, chunks), generated: [...tokens] };
  for await (const more of generation.decode(decoding)) tokens.push(...more);
  expect(generation.rankStates()[0]).toMatchObject({ numActiveRequests: 0, numActiveTokens: 0 });
  return Buffer.from(generation.detokenize(tokens)).toString();
}

describe('ParrotEngine', () => {
  it('repeats any prompt across a handoff', () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (text) => {
        expect(await answerOf(text)).toBe(Buffer.from(text).toString());
      }),
      { numRuns: 50 },
    ));

  it('refuses the cache of another prompt, and frees its room', async () => {
    const engine = await parrot();
    const { handle } = await engine.prefill(job(Uint32Array.of(1, 2, 3)));
    const room = await engine.prepareImport(job(Uint32Array.of(1, 2, 4)));
    expect(engine.rankStates()[0]?.numActiveRequests).toBe(1);
    const { description, chunks } = engine.exportKv(handle, 0);
    await expect(room.accept(description, chunks)).rejects.toThrow(KvMismatch);
    expect(engine.rankStates()[0]?.numActiveRequests).toBe(0);
  });
});

describe('engine.module', () => {
  it('names the package whose engine a worker runs', async () => {
    const app = await createWorker('worker', configOf("engine: { module: '@roost/example-extension/engine' }"));
    await app.init();
    expect(app.get<Engine>(ENGINE, { strict: false })).toBeInstanceOf(ParrotEngine);
    await app.close();
  });

  it('must have a default export that makes a module', async () => {
    const config = configOf("engine: { module: '@roost/example-extension' }");
    await expect(createWorker('worker', config)).rejects.toThrow(
      /engine.module @roost\/example-extension has no default/,
    );
  });
});

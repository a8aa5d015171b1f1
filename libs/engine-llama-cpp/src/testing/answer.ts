import type { Engine, KvHandle, PrefillOutcome, Sampling } from '@roost/engine';

import { GREEDY } from './tiny-engine.js';

/** A request of a test. */
export interface Ask {
  readonly prompt: Uint32Array;
  readonly rank?: number;
  readonly conversationId?: string | null;
  readonly sampling?: Sampling;
  readonly maxTokens?: number;
  readonly signal?: AbortSignal;
  readonly cacheSalt?: string;
}

/** Tokens of an answer, and how many of the prompt's were cached. */
export interface Answered {
  readonly tokens: readonly number[];
  readonly cachedTokens: number;
}

/** A request as the engine takes it. */
export function jobOf(ask: Ask): Required<Omit<Ask, 'cacheSalt'>> & { cacheSalt: string | undefined } {
  return {
    rank: 0,
    conversationId: null,
    sampling: GREEDY,
    maxTokens: 24,
    signal: new AbortController().signal,
    cacheSalt: undefined,
    ...ask,
  };
}

/** A text's tokens. */
export function promptOf(engine: Engine, prompt: string): Promise<Uint32Array> {
  return engine.tokenize({ endpoint: 'completions', body: { prompt } });
}

/** Decodes to the end. */
export async function decodeAll(
  engine: Engine,
  handle: KvHandle,
  generated: readonly number[],
  ask: Ask,
): Promise<number[]> {
  const tokens = [...generated];
  for await (const more of engine.decode({ ...jobOf(ask), handle, generated })) tokens.push(...more);
  return tokens;
}

/** Answers on one engine, as an aggregated worker does. */
export async function answerOn(engine: Engine, ask: Ask): Promise<Answered> {
  const { handle, firstToken, cachedTokens } = await engine.prefill(jobOf(ask));
  try {
    return { tokens: await decodeAll(engine, handle, firstOf(firstToken), ask), cachedTokens };
  } finally {
    engine.release(handle);
  }
}

/** Has one engine compute the prompt, and another take the cache over and answer. */
export async function answerAcross(context: Engine, generation: Engine, ask: Ask): Promise<Answered> {
  const outcome = await context.prefill(jobOf({ ...ask, maxTokens: 1 }));
  const handle = await handOver(context, generation, outcome, ask);
  context.release(outcome.handle);
  try {
    const tokens = await decodeAll(generation, handle, firstOf(outcome.firstToken), ask);
    return { tokens, cachedTokens: outcome.cachedTokens };
  } finally {
    generation.release(handle);
  }
}

/** Takes a cache over. */
export async function handOver(
  context: Engine,
  generation: Engine,
  { handle }: PrefillOutcome,
  ask: Ask,
): Promise<KvHandle> {
  const room = await generation.prepareImport(jobOf(ask));
  const { description, chunks } = context.exportKv(handle, room.cachedTokens);
  return await room.accept(description, chunks);
}

/** The first token as a list. */
export function firstOf(token: number | null): readonly number[] {
  return token === null ? [] : [token];
}

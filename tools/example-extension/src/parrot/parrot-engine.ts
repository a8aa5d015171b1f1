import type {
  ConversationTurn,
  DecodeJob,
  Engine,
  EngineInfo,
  ImportJob,
  KvExport,
  KvHandle,
  PendingImport,
  PrefillJob,
  PrefillOutcome,
  RankState,
} from '@roost/engine';
import { EngineRefusal, KvMismatch } from '@roost/engine';

import { RankActivity } from './rank-activity.js';

/** A held "cache": the prompt that it was made from. */
class Held implements KvHandle {
  constructor(
    readonly rank: number,
    readonly prompt: Uint32Array,
  ) {}

  get numTokens(): number {
    return this.prompt.length;
  }
}

/**
 * The smallest engine that can serve: a token is a byte, the answer repeats the prompt, and a prompt's KV cache is the
 * prompt itself. Nothing takes time and nothing is reused. What it keeps is what a worker relies on: counts of the active
 * requests of every rank, handles, and caches that are checked when they arrive.
 */
export class ParrotEngine implements Engine {
  private readonly activity: RankActivity;

  constructor(readonly info: EngineInfo) {
    this.activity = new RankActivity(info.numRanks);
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  tokenize({ endpoint, body }: ConversationTurn): Promise<Uint32Array> {
    const text = endpoint === 'chat' ? JSON.stringify(body['messages']) : body['prompt'];
    if (typeof text !== 'string' || text === '') {
      return Promise.reject(new EngineRefusal('invalid_request', 'prompt must be a text', 'prompt'));
    }
    return Promise.resolve(Uint32Array.from(Buffer.from(text)));
  }

  detokenize(tokens: readonly number[]): Uint8Array {
    return Uint8Array.from(tokens);
  }

  rankStates(): readonly RankState[] {
    return this.activity.states;
  }

  onIteration(listener: () => void): () => void {
    return this.activity.onChange(listener);
  }

  prefill({ rank, prompt, signal }: PrefillJob): Promise<PrefillOutcome> {
    return this.activity.during(rank, prompt.length, () => {
      signal.throwIfAborted();
      return Promise.resolve({ handle: new Held(rank, prompt), firstToken: prompt[0] ?? null, cachedTokens: 0 });
    });
  }

  exportKv(handle: KvHandle, skipTokens: number): KvExport {
    const { engine, model, kvLayout: layout } = this.info;
    const bytes = Uint8Array.from(own(handle).prompt.subarray(skipTokens));
    return {
      description: {
        engine,
        model,
        layout,
        numTokens: handle.numTokens,
        skippedTokens: skipTokens,
        numBytes: bytes.length,
      },
      chunks: inOneChunk(bytes),
    };
  }

  prepareImport({ rank, prompt, signal }: ImportJob): Promise<PendingImport> {
    signal.throwIfAborted();
    const leave = this.activity.enter(rank, prompt.length);
    return Promise.resolve({
      cachedTokens: 0,
      accept: async (_description, chunks) => {
        try {
          const parts: Uint8Array[] = [];
          for await (const chunk of chunks) parts.push(chunk);
          if (Buffer.compare(Buffer.concat(parts), Uint8Array.from(prompt)) !== 0) {
            throw new KvMismatch('this is the cache of another prompt');
          }
          signal.throwIfAborted();
          return new Held(rank, prompt);
        } finally {
          leave();
        }
      },
      abandon: leave,
    });
  }

  async *decode({ handle, generated, maxTokens, signal }: DecodeJob): AsyncGenerator<readonly number[]> {
    const { rank, prompt } = own(handle);
    const leave = this.activity.enter(rank, prompt.length);
    try {
      for (const token of prompt.slice(generated.length, maxTokens)) {
        signal.throwIfAborted();
        yield await Promise.resolve([token]);
      }
    } finally {
      leave();
    }
  }

  cachedTokens(): () => number {
    return () => 0;
  }

  storedBlocks(): readonly bigint[] {
    return [];
  }

  onKvEvent(): () => void {
    return () => undefined;
  }

  /** Nothing is kept for a handle. */
  release(): void {
    return;
  }
}

function own(handle: KvHandle): Held {
  if (handle instanceof Held) return handle;
  throw new Error('the handle was made by another engine');
}

async function* inOneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

import type { ConversationTurn } from './job.js';
import type { DecodeJob, ImportJob, PrefillJob, PrefillOutcome } from './job.js';
import type { KvCacheEvent, KvExport, KvHandle, PendingImport } from './kv.js';
import type { EngineInfo, RankState } from './state.js';

/**
 * What a worker needs of the model that it runs. A worker knows nothing else of an engine, and an engine nothing of
 * workers, gRPC or fleets. Ranks are numbered from 0; on every rank live its own KV cache and its own requests.
 *
 * A job's `signal` ends it at the next iteration at the latest: its promise rejects with the signal's reason, and all that
 * the job held is free again.
 */
export interface Engine {
  readonly info: EngineInfo;

  /** Resolves when the engine can serve. */
  start(): Promise<void>;

  /** Ends every job with an error, and frees what the engine holds. */
  stop(): Promise<void>;

  /**
   * Renders a client's request with the model's template and gives its token ids, such that a conversation's next turn
   * extends the tokens of this one.
   *
   * @throws EngineRefusal when the request asks for what the engine cannot do, naming the field
   */
  tokenize(turn: ConversationTurn): Promise<Uint32Array>;

  /** The bytes that tokens stand for; a character may be split between two tokens. Special tokens stand for none. */
  detokenize(tokens: readonly number[]): Uint8Array;

  rankStates(): readonly RankState[];

  /** Calls back at the end of every iteration and whenever a request leaves a rank. Returns how to stop that. */
  onIteration(listener: () => void): () => void;

  /**
   * Computes the KV cache of a prompt on a rank, reusing the longest prefix cached there, and samples the first token.
   * Waits while the rank is full. The handle in the outcome holds the cache until it is released.
   *
   * @throws EngineRefusal when the prompt can never fit
   */
  prefill(job: PrefillJob): Promise<PrefillOutcome>;

  /** The bytes behind a handle. The handle must stay held until the chunks have been read. */
  exportKv(handle: KvHandle, skipTokens: number): KvExport;

  /** Makes room on a rank for a cache computed elsewhere, and says how much of it lies there already. Waits while the rank is full. */
  prepareImport(job: ImportJob): Promise<PendingImport>;

  /**
   * Continues from a handle, yielding tokens as they are computed, until the model ends, `maxTokens` are made, or the
   * consumer returns. The tokens include no end-of-sequence token. The handle stays held, extended by what was decoded.
   */
  decode(job: DecodeJob): AsyncIterable<readonly number[]>;

  /** How to ask, rank by rank, for the leading tokens of a prompt that the rank would find cached at that moment. */
  cachedTokens(prompt: Uint32Array): (rank: number) => number;

  /** Hashes of the blocks that a rank can reuse now. */
  storedBlocks(rank: number): readonly bigint[];

  /** Calls back with every change of {@link storedBlocks}, in order. Returns how to stop that. */
  onKvEvent(listener: (event: KvCacheEvent) => void): () => void;

  /** Lets go of a handle: its blocks stay cached until something needs the room. Idempotent. */
  release(handle: KvHandle): void;
}

/** The Nest token that an engine is provided under. */
export const ENGINE = Symbol('ENGINE');

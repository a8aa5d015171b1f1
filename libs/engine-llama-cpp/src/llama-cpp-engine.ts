import { BLOCK_HASH_ALGORITHM } from '@roost/block-cache';
import {
  type ConversationTurn,
  type DecodeJob,
  type Engine,
  type EngineInfo,
  EngineRefusal,
  type ImportJob,
  type KvCacheEvent,
  type KvExport,
  type KvHandle,
  LiveJobs,
  type PendingImport,
  type PrefillJob,
  type PrefillOutcome,
  type RankState,
  TokenQueue,
} from '@roost/engine';

import { HeldState } from './held-state.js';
import { exportState } from './kv/export-state.js';
import { IncomingState } from './kv/incoming-state.js';
import { StateFiles } from './kv/state-files.js';
import { layoutOf } from './kv/state-layout.js';
import { stateBytes } from './kv/state-size.js';
import { type OpenModel, openModel } from './model/open-model.js';
import { checkOptions, type LlamaCppEngineOptions } from './options.js';
import { PromptTokenizer } from './prompt/prompt-tokenizer.js';
import { Work, type WorkWatcher } from './rank/work.js';
import { Ranks } from './ranks.js';
import { samplerOf } from './sampling.js';

/** For imports, which never sample. */
const NO_SAMPLING = { ignoreEos: false };

/**
 * A real model on this machine: every rank is a context of llama.cpp with a bounded number of sequences. A handle outlives
 * the job that made it: only {@link release} and {@link stop} free it.
 */
export class LlamaCppEngine implements Engine {
  readonly info: EngineInfo;
  private readonly ranks: Ranks;
  private readonly tokenizer: PromptTokenizer;
  private readonly jobs = new LiveJobs();
  private readonly files: StateFiles;

  private constructor(
    options: LlamaCppEngineOptions,
    private readonly model: OpenModel,
  ) {
    this.info = infoOf(options, model);
    this.ranks = new Ranks(model, options, this.info.maxSeqLen);
    this.tokenizer = new PromptTokenizer(model);
    this.files = new StateFiles(options.stateDirectory);
  }

  /**
   * Loads the library and the model.
   *
   * @throws RangeError that names the option at fault; RuntimeMissing; UnsupportedModel
   */
  static async open(options: LlamaCppEngineOptions): Promise<LlamaCppEngine> {
    checkOptions(options);
    return new LlamaCppEngine(options, await openModel(options));
  }

  async start(): Promise<void> {
    await this.ranks.start(this.files);
  }

  async stop(): Promise<void> {
    this.jobs.close(new Error('the engine was stopped'));
    await this.ranks.stop();
    await this.model.model.dispose();
    this.files.close();
  }

  tokenize(turn: ConversationTurn): Promise<Uint32Array> {
    return Promise.try(() => this.tokenizer.tokenize(turn));
  }

  detokenize(tokens: readonly number[]): Uint8Array {
    return this.model.vocabulary.detokenize(tokens);
  }

  rankStates(): readonly RankState[] {
    return this.ranks.states;
  }

  onIteration(listener: () => void): () => void {
    return this.ranks.onIteration(listener);
  }

  cachedTokens(prompt: Uint32Array): (rank: number) => number {
    return (rank) => this.ranks.at(rank).sequences.cachedTokens(prompt);
  }

  storedBlocks(rank: number): readonly bigint[] {
    return this.ranks.at(rank).sequences.storedHashes;
  }

  onKvEvent(listener: (event: KvCacheEvent) => void): () => void {
    return this.ranks.onKvEvent(listener);
  }

  async prefill(job: PrefillJob): Promise<PrefillOutcome> {
    const rank = this.ranks.at(job.rank);
    const outcome = Promise.withResolvers<PrefillOutcome>();
    const work = this.workOf(job, 'prefill', {
      progressed: (firstToken) => {
        untrack();
        const handle = new HeldState(this, job.rank, work);
        outcome.resolve({ handle, firstToken, cachedTokens: work.cachedTokens });
      },
      failed: (error) => {
        untrack();
        outcome.reject(error);
      },
    });
    const untrack = this.jobs.track(job.signal, (reason) => {
      rank.remove(work);
      outcome.reject(reason);
    });
    rank.submit(work);
    return await outcome.promise;
  }

  exportKv(handle: KvHandle, skipTokens: number): KvExport {
    const { rank, work } = this.heldBy(handle);
    const numTokens = work.computedTokens;
    if (!(skipTokens >= 0 && skipTokens <= numTokens)) {
      throw new RangeError(`cannot skip ${String(skipTokens)} of ${String(numTokens)} tokens`);
    }
    const { engine, model, kvLayout: layout } = this.info;
    const numBytes = stateBytes(this.ranks.stateSize, numTokens);
    return {
      description: { engine, model, layout, numTokens, skippedTokens: 0, numBytes },
      chunks: exportState(this.files, numBytes, (file) => this.ranks.at(rank).save(work, file)),
    };
  }

  async prepareImport(job: ImportJob): Promise<PendingImport> {
    const rank = this.ranks.at(job.rank);
    const room = Promise.withResolvers<PendingImport>();
    const ended = new AbortController();
    const work = this.workOf(job, 'import', {
      admitted: () => {
        const { engine, model, kvLayout: layout } = this.info;
        const { prompt } = job;
        const numBytes = stateBytes(this.ranks.stateSize, prompt.length);
        const expected = { engine, model, layout, prompt, numBytes };
        room.resolve(new IncomingState(expected, this.files, { load, free }, ended.signal));
      },
      failed: (error) => {
        untrack();
        room.reject(error);
      },
    });
    const untrack = this.jobs.track(job.signal, (reason) => {
      rank.remove(work);
      ended.abort(reason);
      room.reject(reason);
    });
    const load = async (file: string): Promise<KvHandle> => {
      await rank.load(work, file);
      untrack();
      ended.signal.throwIfAborted();
      return new HeldState(this, job.rank, work);
    };
    const free = (): void => {
      untrack();
      rank.remove(work);
    };
    rank.submit(work);
    return await room.promise;
  }

  async *decode(job: DecodeJob): AsyncGenerator<readonly number[], void, undefined> {
    const { generated, maxTokens, sampling } = job;
    const { rank: index, work } = this.heldBy(job.handle);
    if (generated.length >= maxTokens) return;
    this.requireFits(work.prompt.length, maxTokens);
    const rank = this.ranks.at(index);
    const queue = new TokenQueue();
    const watcher: WorkWatcher = {
      progressed: (token, done) => {
        if (token !== null) queue.push(token);
        if (done) queue.end();
      },
      removed: () => {
        queue.fail(new Error('the handle was released while it was decoded'));
      },
      failed: (error) => {
        queue.fail(error);
      },
    };
    const untrack = this.jobs.track(job.signal, (reason) => {
      rank.pause(work, watcher);
      queue.fail(reason);
    });
    try {
      const sampler = samplerOf(sampling);
      rank.decode(work, { generated, sampler, maxTokens, watcher });
      yield* queue.read();
    } finally {
      untrack();
      rank.pause(work, watcher);
    }
  }

  release(handle: KvHandle): void {
    const { rank, work } = this.own(handle);
    this.ranks.at(rank).remove(work);
  }

  private workOf(job: ImportJob | PrefillJob, kind: Work['kind'], watcher: WorkWatcher): Work {
    const { prompt, maxTokens, conversationId, cacheSalt } = job;
    if (prompt.length === 0) throw new EngineRefusal('invalid_request', 'the prompt is empty', 'prompt');
    if (!Number.isInteger(maxTokens) || maxTokens < 1) {
      throw new RangeError(`maxTokens must be a positive integer, got ${String(maxTokens)}`);
    }
    const { size } = this.model.vocabulary;
    // A token that the model does not know would end the process.
    const unknown = prompt.find((token) => token >= size);
    if (unknown !== undefined) {
      throw new EngineRefusal('invalid_request', `token ${String(unknown)} is not in the vocabulary`, 'prompt');
    }
    this.requireFits(prompt.length, maxTokens);
    const sampler = samplerOf('sampling' in job ? job.sampling : NO_SAMPLING);
    return new Work({ kind, prompt, conversationId, cacheSalt, sampler, watcher });
  }

  private requireFits(promptTokens: number, maxTokens: number): void {
    const { maxSeqLen } = this.info;
    if (promptTokens + maxTokens <= maxSeqLen) return;
    throw new EngineRefusal(
      'context_length_exceeded',
      `${String(promptTokens)} prompt tokens and ${String(maxTokens)} answer tokens exceed the context of ${String(maxSeqLen)} tokens: shorten the prompt or lower max_tokens`,
    );
  }

  private heldBy(handle: KvHandle): HeldState {
    const own = this.own(handle);
    if (own.work.phase === 'gone') throw new Error('the handle was released');
    return own;
  }

  private own(handle: KvHandle): HeldState {
    if (handle instanceof HeldState && handle.owner === this) return handle;
    throw new Error('the handle was made by another engine');
  }
}

function infoOf(options: LlamaCppEngineOptions, { model, hash, runtime }: OpenModel): EngineInfo {
  const { sequences, flashAttention, tokensPerBlock } = options;
  return {
    engine: 'llama-cpp',
    model: options.model,
    numRanks: options.numRanks,
    maxBatchSize: Math.min(options.maxBatchSize, sequences),
    maxNumTokens: options.batchTokens,
    maxSeqLen: Math.min(options.contextSize, model.trainContextSize),
    defaultMaxTokens: options.defaultMaxTokens,
    tokensPerBlock,
    promptFormat: `gguf:${hash.slice(0, 16)}`,
    kvCacheHashAlgo: BLOCK_HASH_ALGORITHM,
    kvLayout: layoutOf({ modelHash: hash, sequences, flashAttention, library: runtime.version }),
  };
}

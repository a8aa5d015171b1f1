import { BLOCK_HASH_ALGORITHM, blockHashes, type TokenChain } from '@roost/block-cache';
import {
  type ConversationTurn,
  type DecodeJob,
  type Engine,
  type EngineInfo,
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
import { decodeTokens, PROMPT_FORMAT, PromptEncoder } from '@roost/prompt';

import { SimulatedAnswer } from './answer/simulated-answer.js';
import { type Clock, systemClock } from './clock.js';
import type { Sequence } from './core/sequence.js';
import { HeldKv } from './held-kv.js';
import { Instance, type SequenceWatcher } from './instance.js';
import { IncomingKv } from './kv/incoming-kv.js';
import { KvPorts } from './kv/kv-ports.js';
import { makeSequence } from './make-sequence.js';
import { checkOptions, type SimulatedEngineOptions } from './options.js';
import { tokenizeTurn } from './prompt/tokenize-turn.js';

const PROMPT_CACHE_BYTES = 64 * 1024 * 1024;

/**
 * The embedded engine: real tokens, a real prefix cache and real scheduling on every rank, with modelled time and made-up
 * answers. A handle outlives the job that made it: only {@link release} and {@link stop} free it.
 */
export class SimulatedEngine implements Engine {
  readonly info: EngineInfo;
  private readonly instance: Instance;
  private readonly kv: KvPorts;
  private readonly jobs = new LiveJobs();
  private readonly encoder = new PromptEncoder(PROMPT_CACHE_BYTES);

  /** @throws RangeError that names the option at fault */
  constructor(
    private readonly options: SimulatedEngineOptions,
    clock: Clock = systemClock,
  ) {
    checkOptions(options);
    this.info = infoOf(options);
    this.instance = new Instance(options, clock, (error) => {
      this.end(new Error('the engine crashed', { cause: error }));
    });
    this.kv = new KvPorts(this.info, options, clock);
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.end(new Error('the engine was stopped'));
    return Promise.resolve();
  }

  tokenize(turn: ConversationTurn): Promise<Uint32Array> {
    return tokenizeTurn(this.encoder, turn, this.info.maxSeqLen);
  }

  detokenize(tokens: readonly number[]): Uint8Array {
    return decodeTokens(tokens);
  }

  rankStates(): readonly RankState[] {
    return this.instance.states;
  }

  onIteration(listener: () => void): () => void {
    return this.instance.onIteration(listener);
  }

  cachedTokens(prompt: Uint32Array): (rank: number) => number {
    const { tokensPerBlock } = this.options;
    // As for a sequence that is admitted: its last token is always computed.
    const reusable = Math.max(0, Math.floor((prompt.length - 1) / tokensPerBlock));
    let hashes: readonly bigint[] | null = null;
    return (rank) => {
      hashes ??= blockHashes(prompt, tokensPerBlock);
      return Math.min(this.instance.cacheOf(rank).match(hashes), reusable) * tokensPerBlock;
    };
  }

  storedBlocks(rank: number): readonly bigint[] {
    return this.instance.cacheOf(rank).storedHashes();
  }

  onKvEvent(listener: (event: KvCacheEvent) => void): () => void {
    return this.instance.onKvEvent(listener);
  }

  async prefill(job: PrefillJob): Promise<PrefillOutcome> {
    const { rank, signal } = job;
    const sequence = this.sequenceOf(job, 'prefill');
    const outcome = Promise.withResolvers<PrefillOutcome>();
    const untrack = this.jobs.track(signal, (reason) => {
      this.instance.remove(rank, sequence);
      outcome.reject(reason);
    });
    this.instance.submit(rank, sequence, {
      progressed: ({ token }) => {
        untrack();
        outcome.resolve({
          handle: new HeldKv(this, rank, sequence),
          firstToken: token,
          cachedTokens: sequence.cachedTokens,
        });
      },
    });
    return await outcome.promise;
  }

  exportKv(handle: KvHandle, skipTokens: number): KvExport {
    const { rank, sequence } = this.heldBy(handle);
    return this.kv.send(rank, sequence, skipTokens);
  }

  async prepareImport(job: ImportJob): Promise<PendingImport> {
    const { rank, signal } = job;
    const sequence = this.sequenceOf(job, 'import');
    const room = Promise.withResolvers<PendingImport>();
    const ended = new AbortController();
    const untrack = this.jobs.track(signal, (reason) => {
      this.instance.remove(rank, sequence);
      ended.abort(reason);
      room.reject(reason);
    });
    const complete = (): KvHandle => {
      untrack();
      this.instance.completeImport(rank, sequence);
      return new HeldKv(this, rank, sequence);
    };
    const free = (): void => {
      untrack();
      this.instance.remove(rank, sequence);
    };
    this.instance.submit(rank, sequence, {
      admitted: () => {
        room.resolve(
          new IncomingKv(this.kv.expect(sequence), this.kv.incoming(rank), { complete, free }, ended.signal),
        );
      },
    });
    return await room.promise;
  }

  async *decode(job: DecodeJob): AsyncGenerator<readonly number[], void, undefined> {
    const { generated, maxTokens, sampling } = job;
    const { rank, sequence } = this.heldBy(job.handle);
    if (generated.length >= maxTokens) return;
    const answer = new SimulatedAnswer(sequence.chain.slice(0, sequence.promptLength));
    const queue = new TokenQueue();
    const watcher: SequenceWatcher = {
      progressed: ({ token, done }) => {
        if (token !== null) queue.push(token);
        if (done) queue.end();
      },
      removed: () => {
        queue.fail(new Error('the handle was released while it was decoded'));
      },
    };
    const sample = (index: number): number | null => answer.tokenAt(index, sampling.ignoreEos);
    const untrack = this.jobs.track(job.signal, (reason) => {
      this.instance.pause(rank, sequence, watcher);
      queue.fail(reason);
    });
    try {
      const continuation = { generated, sample, maxTokens };
      this.instance.decode(rank, sequence, continuation, watcher);
      yield* queue.read();
    } finally {
      untrack();
      this.instance.pause(rank, sequence, watcher);
    }
  }

  release(handle: KvHandle): void {
    const { rank, sequence } = this.own(handle);
    this.instance.remove(rank, sequence);
  }

  private end(reason: Error): void {
    this.jobs.close(reason);
    this.instance.clear();
  }

  private sequenceOf(job: ImportJob, kind: Sequence['kind']): Sequence<TokenChain> {
    return makeSequence(this.options, job, kind, (tokens) => this.instance.canEverFit(tokens));
  }

  private heldBy(handle: KvHandle): HeldKv {
    const own = this.own(handle);
    if (own.sequence.phase === 'gone') {
      throw new Error('the handle was released');
    }
    return own;
  }

  private own(handle: KvHandle): HeldKv {
    if (handle instanceof HeldKv && handle.owner === this) return handle;
    throw new Error('the handle was made by another engine');
  }
}

function infoOf(options: SimulatedEngineOptions): EngineInfo {
  const { tokensPerBlock, kvBytesPerToken } = options;
  return {
    engine: 'simulated',
    model: options.model,
    numRanks: options.numRanks,
    maxBatchSize: options.maxBatchSize,
    maxNumTokens: options.maxNumTokens,
    maxSeqLen: options.maxSeqLen,
    defaultMaxTokens: options.defaultMaxTokens,
    tokensPerBlock,
    promptFormat: PROMPT_FORMAT,
    kvCacheHashAlgo: BLOCK_HASH_ALGORITHM,
    kvLayout: `simulated-1/tokens_per_block=${String(tokensPerBlock)}/bytes_per_token=${String(kvBytesPerToken)}`,
  };
}

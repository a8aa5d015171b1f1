import type { BlockEvent } from '@roost/block-cache';
import {
  commitIteration,
  iterationMs,
  Pacer,
  planIteration,
  type Progress,
  Rank,
  Sequence,
  type TimeModel,
  transferMs,
} from '@roost/engine-simulated';

import type { FleetPolicy } from '../policies/policy.js';

import { capacityBlocks } from './capacity-blocks.js';
import { type RankJob, RankQueue } from './rank-queue.js';
import type { ReplayOptions } from './replay-options.js';
import type { Settler, VirtualTime } from './virtual-time.js';

/** A computed prompt, whose KV cache is held. */
export interface Prefilled {
  /** Prompt tokens that were in the cache. */
  readonly cachedTokens: number;
  /** Sends the KV cache of so many tokens to a generation worker, calls back when it has left, and holds it no longer. */
  send(tokens: number, sent: () => void): void;
  /** Lets go of the KV cache: the answer is complete. */
  release(): void;
}

/** Who wants to know what becomes of the jobs of an instance. */
export interface InstanceListener<Job> {
  /** The prompt is computed, and the first token sampled. */
  prefilled(job: Job, outcome: Prefilled): void;
  blocksChanged(rank: number, event: BlockEvent): void;
  /** An iteration has ended, after all that came of it. */
  iterated(): void;
}

/** Room for one answer token is all that a context leg keeps. */
const ANSWER_TOKENS = 1;

/**
 * One context worker in virtual time: the queue, the ranks that step together, and the links that KV caches leave by. A
 * held KV cache takes up its rank's memory until it has left.
 */
export class ContextInstance<Job extends RankJob> implements Settler {
  readonly #ranks: readonly Rank[];
  readonly #links: readonly Pacer[];
  readonly #queue: RankQueue<Job>;
  readonly #timeModel: TimeModel;
  readonly #running = new Map<Sequence, { readonly job: Job; readonly rank: number }>();
  readonly #prefillTokens: number[];
  #iterating = false;

  constructor(
    private readonly options: ReplayOptions,
    attentionDp: FleetPolicy['attentionDp'],
    private readonly time: VirtualTime,
    private readonly listener: InstanceListener<Job>,
    tokensPerBlock: number,
  ) {
    const indexes = Array.from({ length: options.ranksPerInstance }, (_, index) => index);
    this.#timeModel = { ...options, speedUp: 1 };
    this.#ranks = indexes.map(
      (index) =>
        new Rank({
          ...options,
          tokensPerBlock,
          capacityBlocks: capacityBlocks(options.capacityTokens, tokensPerBlock),
          blockReuse: true,
          onBlockEvent: (event) => listener.blocksChanged(index, event),
        }),
    );
    this.#links = indexes.map(() => new Pacer());
    this.#prefillTokens = indexes.map(() => 0);
    this.#queue = new RankQueue(this.#ranks, attentionDp, options.maxBatchSize);
  }

  /** Prompt tokens computed so far, by rank. */
  get prefillTokens(): readonly number[] {
    return this.#prefillTokens;
  }

  /** The leading blocks of a prompt that a rank has now; of the rank that has most. */
  cachedBlocks(hashes: readonly bigint[]): number {
    return this.#ranks.reduce((most, { cache }) => Math.max(most, cache.match(hashes)), 0);
  }

  /** Takes a job in; what else comes at this instant is assigned to ranks together with it. */
  submit(job: Job): void {
    this.#queue.add(job);
    this.time.settleSoon(this);
  }

  /** Assigns what waits, and begins an iteration unless one goes on. */
  settle(): void {
    for (const { id: job, rank } of this.#queue.assign()) this.#start(job, rank);
    if (!this.#iterating) this.#iterate();
  }

  #start(job: Job, rank: number): void {
    const chain = { length: job.inputTokens, hashes: job.hashes, push: () => undefined };
    const sequence = new Sequence({ kind: 'prefill', chain, maxTokens: ANSWER_TOKENS }, () => 0);
    this.#running.set(sequence, { job, rank });
    this.#ranks[rank]?.submit(sequence);
  }

  #iterate(): void {
    const iteration = planIteration(this.#ranks);
    if (iteration.idle) return;
    this.#iterating = true;
    this.time.at(this.time.now + iterationMs(this.#timeModel, iteration.plans), () => {
      iteration.plans.forEach(({ steps }, rank) => {
        const computed = steps.reduce((sum, { numTokens }) => sum + numTokens, 0);
        this.#prefillTokens[rank] = (this.#prefillTokens[rank] ?? 0) + computed;
      });
      for (const progress of commitIteration(this.#ranks, iteration)) this.#prefilled(progress);
      this.#iterating = false;
      this.#queue.iterated();
      this.listener.iterated();
      this.time.settleSoon(this);
    });
  }

  #prefilled({ sequence }: Progress): void {
    const running = this.#running.get(sequence);
    if (running === undefined) throw new Error('a sequence was computed that nobody had started');
    const { job, rank } = running;
    const release = (): void => {
      this.#running.delete(sequence);
      this.#ranks[rank]?.remove(sequence);
      this.time.settleSoon(this);
    };
    const send = (tokens: number, sent: () => void): void => {
      this.time.at(this.#transferEnd(tokens, rank), () => {
        release();
        sent();
      });
    };
    this.listener.prefilled(job, { cachedTokens: sequence.cachedTokens, send, release });
  }

  #transferEnd(tokens: number, rank: number): number {
    const { now } = this.time;
    const link = this.#links[rank];
    link?.begin(now);
    return link?.after(now, transferMs(this.#timeModel, tokens * this.options.kvBytesPerToken)) ?? now;
  }
}

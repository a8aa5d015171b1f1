import type { BlockEvent } from '@roost/block-cache';
import { Rank, Sequence } from '@roost/engine-simulated';

import type { FleetPolicy } from '../policies/policy.js';

import { capacityBlocks } from './capacity-blocks.js';
import { type RankJob, RankQueue } from './rank-queue.js';
import type { ReplayOptions } from './replay-options.js';
import type { Settler, VirtualTime } from './virtual-time.js';

/** An answer that a generation instance is to make. */
export interface GenerationJob extends RankJob {
  readonly outputTokens: number;
  /** In milliseconds. */
  readonly decodeTime: number;
  /** There is room for the KV cache, of which so many leading tokens are there; to be told when the rest has arrived. */
  admitted(heldTokens: number, arrived: () => void): void;
  /** The answer is complete. */
  done(): void;
}

/** More than any trace has at a time: what a rank is never kept from by the number of its requests. */
const UNLIMITED_REQUESTS = 1_000_000;

/**
 * One generation worker in virtual time: ranks whose caches take KV over and keep the prompts' blocks, and the queue for
 * room in them. Decoding takes the time that it is said to take, however many requests a rank works on.
 */
export class GenerationInstance implements Settler {
  readonly #ranks: readonly Rank[];
  readonly #queue: RankQueue<GenerationJob>;
  #stepping = false;
  readonly #waiting = new Map<Sequence, { readonly job: GenerationJob; readonly rank: Rank }>();

  constructor(
    private readonly options: ReplayOptions,
    attentionDp: FleetPolicy['attentionDp'],
    private readonly time: VirtualTime,
    blocksChanged: (rank: number, event: BlockEvent) => void,
    tokensPerBlock: number,
  ) {
    this.#ranks = Array.from(
      { length: options.generationRanksPerInstance },
      (_, index) =>
        new Rank({
          // Nothing is computed here.
          maxBatchSize: 1,
          maxNumTokens: 1,
          tokensPerBlock,
          capacityBlocks: capacityBlocks(options.generationCapacityTokens, tokensPerBlock),
          blockReuse: true,
          onBlockEvent: (event) => blocksChanged(index, event),
        }),
    );
    this.#queue = new RankQueue(this.#ranks, attentionDp, UNLIMITED_REQUESTS);
  }

  /** Takes a job in; what else comes at this instant is assigned to ranks together with it. */
  submit(job: GenerationJob): void {
    this.#queue.add(job);
    this.time.settleSoon(this);
  }

  /** Assigns what waits, and makes room for as much of it as there is. */
  settle(): void {
    for (const { id: job, rank } of this.#queue.assign()) this.#start(job, this.#ranks[rank]);
    this.#stepForThoseWhoWait();
    for (const rank of this.#ranks) for (const sequence of rank.plan().admitted) this.#admit(sequence);
  }

  /**
   * Ranks that decode end an iteration with every token. Those are events only while jobs wait, which is when they count: what is
   * held back for balance is so while every rank decodes.
   */
  #stepForThoseWhoWait(): void {
    if (this.#queue.size === 0 || this.#stepping) return;
    this.#stepping = true;
    this.time.at(this.time.now + this.options.decodeStepMs, () => {
      this.#stepping = false;
      this.#queue.iterated();
      this.time.settleSoon(this);
    });
  }

  #start(job: GenerationJob, rank: Rank | undefined): void {
    if (rank === undefined) throw new Error('the router has chosen no rank');
    const chain = { length: job.inputTokens, hashes: job.hashes, push: () => undefined };
    const sequence = new Sequence({ kind: 'import', chain, maxTokens: job.outputTokens }, () => 0);
    this.#waiting.set(sequence, { job, rank });
    rank.submit(sequence);
  }

  #admit(sequence: Sequence): void {
    const admitted = this.#waiting.get(sequence);
    if (admitted === undefined) throw new Error('a sequence got room that nobody had asked for');
    this.#waiting.delete(sequence);
    const { job, rank } = admitted;
    job.admitted(sequence.cachedTokens, () => {
      rank.completeImport(sequence);
      rank.decode(sequence, [], () => 0, job.outputTokens);
      this.time.at(this.time.now + job.decodeTime, () => {
        rank.remove(sequence);
        this.time.settleSoon(this);
        job.done();
      });
    });
  }
}

import type { AdpRequest, AdpRouter, RankLoad } from '@roost/adp-router';
import type { Rank } from '@roost/engine-simulated';

/** A leg, as far as placing it on a rank is concerned. */
export interface RankJob {
  readonly inputTokens: number;
  /** Hashes of the prompt's full blocks. */
  readonly hashes: readonly bigint[];
  readonly conversationId: string;
  /** The session that a sub-agent is placed by; null: its own. */
  readonly placedBy: string | null;
}

/**
 * The queue of an instance, by the rules of the worker's: jobs wait until a rank has a free slot, and the ADP router
 * assigns all that can start at a time together, from what the ranks have to do and have cached.
 */
export class RankQueue<Job extends RankJob> {
  readonly #waiting = new Set<Job>();
  /** Iterations since the router first deferred a job. */
  readonly #deferred = new Map<Job, number>();

  constructor(
    private readonly ranks: readonly Rank[],
    private readonly router: AdpRouter,
    private readonly maxBatchSize: number,
  ) {}

  add(job: Job): void {
    this.#waiting.add(job);
  }

  /** Says that the ranks have done an iteration. */
  iterated(): void {
    for (const [job, iterations] of this.#deferred) this.#deferred.set(job, iterations + 1);
  }

  /** Takes the jobs out that go to a rank now. */
  assign(): readonly { readonly job: Job; readonly rank: number }[] {
    if (this.#waiting.size === 0) return [];
    const loads = this.ranks.map(loadOf);
    const room = loads.reduce(
      (sum, { numActiveRequests }) => sum + Math.max(0, this.maxBatchSize - numActiveRequests),
      0,
    );
    if (room === 0) return [];
    const offered = this.#waiting.values().take(this.router.canDefer ? Infinity : room);
    const { decisions, deferred } = this.router.assign(loads, offered.map((job) => this.#describe(job)).toArray());
    for (const job of deferred) if (!this.#deferred.has(job)) this.#deferred.set(job, 0);
    return decisions.map(({ id: job, rank }) => {
      this.#waiting.delete(job);
      this.#deferred.delete(job);
      return { job, rank };
    });
  }

  #describe(job: Job): AdpRequest<Job> {
    return {
      id: job,
      numInputTokens: job.inputTokens,
      conversationId: job.conversationId,
      subagentAffinityId: job.placedBy,
      waitedIters: this.#deferred.get(job) ?? 0,
      cachedTokens: this.#cachedTokens(job),
    };
  }

  #cachedTokens({ hashes, inputTokens }: Job): (rank: number) => number {
    const known = new Map<number, number>();
    return (rank) => {
      const cache = this.ranks[rank]?.cache;
      if (cache === undefined) return 0;
      const blocks = known.get(rank) ?? cache.match(hashes);
      known.set(rank, blocks);
      // As for a sequence that is admitted: its last token is always computed.
      return Math.min(blocks, Math.floor((inputTokens - 1) / cache.tokensPerBlock)) * cache.tokensPerBlock;
    };
  }
}

function loadOf({ counts }: Rank, rank: number): RankLoad {
  return {
    rank,
    numActiveRequests: counts.active,
    numActiveTokens: counts.activeTokens,
    numPendingPrefillTokens: counts.pendingTokens,
    numInTransfer: counts.held,
  };
}

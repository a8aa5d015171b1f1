import {
  AssignmentQueue,
  type AttentionDpOptions,
  type BalanceOptions,
  balanceLimitsOf,
  createAdpRouter,
  type Decision,
  type QueuedRequest,
  type RankLoad,
} from '@roost/adp-router';
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

/** The worker's queue of an instance, over simulated ranks. */
export class RankQueue<Job extends RankJob> {
  readonly #waiting: AssignmentQueue<Job>;
  readonly #needsCachedTokens: boolean;

  /** @param attentionDp the instance's `attention_dp_config` */
  constructor(
    private readonly ranks: readonly Rank[],
    attentionDp: AttentionDpOptions & BalanceOptions,
    maxBatchSize: number,
  ) {
    const router = createAdpRouter(attentionDp, maxBatchSize);
    this.#needsCachedTokens = router.needsCachedTokens;
    this.#waiting = new AssignmentQueue(router, { maxBatchSize, balance: balanceLimitsOf(attentionDp) });
  }

  /** Jobs that wait for a rank. */
  get size(): number {
    return this.#waiting.size;
  }

  add(job: Job): void {
    this.#waiting.add(job, this.#describe(job));
  }

  /** Says that the ranks have done an iteration. */
  iterated(): void {
    this.#waiting.iterated();
  }

  /** Takes the jobs out that go to a rank now. */
  assign(): readonly Decision<Job>[] {
    return this.#waiting.assign(this.ranks.map(loadOf));
  }

  #describe(job: Job): QueuedRequest {
    return {
      numInputTokens: job.inputTokens,
      conversationId: job.conversationId,
      subagentAffinityId: job.placedBy,
      ...(this.#needsCachedTokens ? { cachedTokens: (rank) => this.#cachedTokens(job, rank) } : {}),
    };
  }

  #cachedTokens({ hashes, inputTokens }: RankJob, rank: number): number {
    const cache = this.ranks[rank]?.cache;
    if (cache === undefined) return 0;
    // As for a sequence that is admitted: its last token is always computed.
    return Math.min(cache.match(hashes), Math.floor((inputTokens - 1) / cache.tokensPerBlock)) * cache.tokensPerBlock;
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

import { sharedBlocks } from '../oracle/branch-oracle.js';
import type { HoldTally } from '../report/hold-report.js';

import type { RankJob } from './rank-queue.js';
import type { VirtualTime } from './virtual-time.js';

/** The instance behind a hold. */
export interface HeldBefore<Job> {
  /** The leading blocks of a prompt that a rank has now; of the rank that has most. */
  cachedBlocks(hashes: readonly bigint[]): number;
  submit(job: Job): void;
}

/** How far a hold goes. */
export interface HoldLimits {
  /** The longest that a job is held, in milliseconds. */
  readonly cap: number;
  readonly tokensPerBlock: number;
}

interface Held {
  readonly since: number;
  /** When it goes on, whatever is still to come. */
  readonly until: number;
}

/**
 * A what-if that production does not have: stands before an instance and holds jobs back whose prompt begins with more of one
 * that is being computed there than is in a cache. A held job goes on as soon as what it shares is there, or its time is up; it
 * then leads those behind it.
 */
export class FollowerHold<Job extends RankJob> {
  /** At the instance, their prefill not finished. */
  readonly #leaders = new Set<Job>();
  /** In the order of arrival. */
  readonly #held = new Map<Job, Held>();

  constructor(
    private readonly instance: HeldBefore<Job>,
    private readonly time: VirtualTime,
    private readonly limits: HoldLimits,
    private readonly tally: HoldTally,
  ) {}

  /** A job has been placed on the instance. */
  arrive(job: Job): void {
    if (!this.#mustWait(job)) {
      this.#letGo(job);
      return;
    }
    const since = this.time.now;
    const until = since + this.limits.cap;
    this.#held.set(job, { since, until });
    this.time.at(until, () => {
      this.look();
    });
  }

  /** The prefill of a job is finished. */
  finished(job: Job): void {
    this.#leaders.delete(job);
  }

  /** Lets go whom nothing holds any more; to be told when blocks may have been computed. */
  look(): void {
    const { now } = this.time;
    for (const [job, { since, until }] of this.#held) {
      const timeIsUp = now >= until;
      if (!timeIsUp && this.#mustWait(job)) continue;
      this.#held.delete(job);
      this.tally.add(now - since, timeIsUp);
      this.#letGo(job);
    }
  }

  #mustWait({ hashes, inputTokens }: Job): boolean {
    const cached = this.instance.cachedBlocks(hashes);
    // The last token is always computed.
    const reusable = Math.floor((inputTokens - 1) / this.limits.tokensPerBlock);
    if (cached >= reusable) return false;
    return this.#leaders.values().some((leader) => sharedBlocks(hashes, leader.hashes, cached) > cached);
  }

  #letGo(job: Job): void {
    this.#leaders.add(job);
    this.instance.submit(job);
  }
}

import type { Policy } from '../policies/policy.js';
import { type HoldReport, HoldTally } from '../report/hold-report.js';

import { ContextInstance, type Prefilled } from './context-instance.js';
import { FleetPlacement, type PlacedLeg, type UnplacedLeg } from './fleet-placement.js';
import { FollowerHold } from './follower-hold.js';
import type { RankJob } from './rank-queue.js';
import type { ReplayOptions } from './replay-options.js';
import type { VirtualTime } from './virtual-time.js';

/** A prompt to compute, and who is told of it. */
export interface ContextLeg extends UnplacedLeg {
  /** The first token is there. */
  prefilled(outcome: Prefilled): void;
}

interface Job extends RankJob {
  readonly leg: ContextLeg;
  readonly placed: PlacedLeg;
}

/** An instance, and what stands before it; null: nothing. */
interface Station {
  readonly instance: ContextInstance<Job>;
  readonly hold: FollowerHold<Job> | null;
}

/** All context instances, and the router before them. */
export class ContextFleet {
  readonly #stations: ReadonlyMap<string, Station>;
  readonly #placement: FleetPlacement;
  readonly #holds = new HoldTally();

  constructor(
    private readonly policy: Policy,
    private readonly options: ReplayOptions,
    private readonly time: VirtualTime,
    private readonly tokensPerBlock: number,
  ) {
    const { instances, ranksPerInstance } = options;
    const servers = Array.from({ length: instances }, (_, index) => `context-${String(index)}`);
    this.#placement = new FleetPlacement(policy.context, { servers, ranksPerInstance, tokensPerBlock }, () => time.now);
    this.#stations = new Map(servers.map((server) => [server, this.#makeStation(server)]));
  }

  /** Prompt tokens computed so far, by instance and rank. */
  prefillTokens(): readonly (readonly number[])[] {
    return [...this.#stations.values()].map(({ instance }) => instance.prefillTokens);
  }

  /** What holding back came to so far; null where nobody is. */
  holds(): HoldReport | null {
    return this.policy.holdMs === undefined ? null : this.#holds.report();
  }

  /** Places a request that has just arrived. */
  place(leg: ContextLeg): void {
    const placed = this.#placement.place(leg);
    const { inputTokens, hashes, conversationId } = leg;
    const job = { inputTokens, hashes, conversationId, placedBy: placed.placedBy, leg, placed };
    const station = this.#stations.get(placed.server);
    if (station?.hold) station.hold.arrive(job);
    else station?.instance.submit(job);
  }

  #makeStation(server: string): Station {
    const instance = new ContextInstance<Job>(
      this.options,
      this.policy.context.attentionDp,
      this.time,
      {
        prefilled: (job, outcome) => {
          hold?.finished(job);
          job.placed.finish();
          job.leg.prefilled(outcome);
        },
        blocksChanged: (rank, event) => {
          this.#placement.blockChanged(server, rank, event);
        },
        iterated: () => hold?.look(),
      },
      this.tokensPerBlock,
    );
    const hold = this.#makeHold(instance);
    return { instance, hold };
  }

  #makeHold(instance: ContextInstance<Job>): FollowerHold<Job> | null {
    const { holdMs } = this.policy;
    if (holdMs === undefined) return null;
    const limits = { cap: holdMs, tokensPerBlock: this.tokensPerBlock };
    return new FollowerHold(instance, this.time, limits, this.#holds);
  }
}

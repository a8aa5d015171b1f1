import type { FleetPolicy } from '../policies/policy.js';

import { ContextInstance, type Prefilled } from './context-instance.js';
import { FleetPlacement, type PlacedLeg, type UnplacedLeg } from './fleet-placement.js';
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

/** All context instances, and the router before them. */
export class ContextFleet {
  readonly #instances: ReadonlyMap<string, ContextInstance<Job>>;
  readonly #placement: FleetPlacement;

  constructor(policy: FleetPolicy, options: ReplayOptions, time: VirtualTime, tokensPerBlock: number) {
    const { instances, ranksPerInstance } = options;
    const servers = Array.from({ length: instances }, (_, index) => `context-${String(index)}`);
    this.#placement = new FleetPlacement(policy, { servers, ranksPerInstance, tokensPerBlock }, () => time.now);
    const make = (server: string): ContextInstance<Job> =>
      new ContextInstance<Job>(options, policy.attentionDp, time, this.#listenTo(server), tokensPerBlock);
    this.#instances = new Map(servers.map((server) => [server, make(server)]));
  }

  /** Prompt tokens computed so far, by instance and rank. */
  prefillTokens(): readonly (readonly number[])[] {
    return [...this.#instances.values()].map(({ prefillTokens }) => prefillTokens);
  }

  /** Places a request that has just arrived. */
  place(leg: ContextLeg): void {
    const placed = this.#placement.place(leg);
    const { inputTokens, hashes, conversationId } = leg;
    this.#instances
      .get(placed.server)
      ?.submit({ inputTokens, hashes, conversationId, placedBy: placed.placedBy, leg, placed });
  }

  #listenTo(server: string): ConstructorParameters<typeof ContextInstance<Job>>[3] {
    return {
      prefilled: ({ leg, placed }, outcome) => {
        placed.finish();
        leg.prefilled(outcome);
      },
      blocksChanged: (rank, event) => {
        this.#placement.blockChanged(server, rank, event);
      },
    };
  }
}

import type { BlockEvent } from '@roost/block-cache';
import { CHARS_PER_TOKEN, createRouterRegistry, type FleetRouter } from '@roost/fleet-router';
import { PrefixIndex } from '@roost/prefix-index';

import type { FleetPolicy } from '../policies/policy.js';

import { BlockChanges } from './block-changes.js';
import type { RankJob } from './rank-queue.js';

/** A leg that has no instance yet. */
export interface UnplacedLeg extends Omit<RankJob, 'placedBy'> {
  /** Null for a main agent; the same of `rootSession`. */
  readonly parentSession: string | null;
  readonly rootSession: string | null;
  readonly siblingGroup: string | null;
}

/** The instance that a leg goes to. */
export interface PlacedLeg {
  readonly server: string;
  readonly placedBy: string | null;
  /** Gives the load back that was reserved there. */
  finish(): void;
}

/** A fleet as its router is to know it. */
export interface FleetShape {
  readonly servers: readonly string[];
  readonly ranksPerInstance: number;
  readonly tokensPerBlock: number;
}

/** Room for the blocks of all caches of a fleet. */
const INDEX_BYTES = 1 << 30;

/** The router of one fleet, with what it has to know of the instances: the edge of a replay. */
export class FleetPlacement {
  readonly #router: FleetRouter;
  /** Null where the router does not look at blocks. */
  readonly #index: PrefixIndex | null;
  /** By server, for each rank; of none without an index. */
  readonly #changes: ReadonlyMap<string, readonly BlockChanges[]>;

  /** @param now in milliseconds */
  constructor(
    private readonly policy: FleetPolicy,
    { servers, ranksPerInstance, tokensPerBlock }: FleetShape,
    now: () => number,
  ) {
    const { type, args } = policy.router;
    const followsBlocks = type === 'kv_cache_aware';
    const routerArgs = followsBlocks ? { tokens_per_block: tokensPerBlock, ...args } : args;
    this.#index = followsBlocks ? new PrefixIndex({ maxBytes: INDEX_BYTES }) : null;
    const dependencies = { servers, now, ...(this.#index === null ? {} : { prefixIndex: this.#index }) };
    this.#router = createRouterRegistry().create(type, routerArgs, dependencies).router;
    const ranks = (): BlockChanges[] => Array.from({ length: ranksPerInstance }, () => new BlockChanges());
    this.#changes = new Map(followsBlocks ? servers.map((server) => [server, ranks()]) : []);
  }

  /** Chooses the instance of a leg that begins now. */
  place(leg: UnplacedLeg): PlacedLeg {
    const placedBy = this.#placedBy(leg);
    this.#tellIndex();
    const placement = this.#router.route({
      conversationId: leg.conversationId,
      subagentAffinityId: placedBy,
      textChars: leg.inputTokens * CHARS_PER_TOKEN,
      text: () => '',
      promptTokenIds: null,
      blockHashes: leg.hashes,
      numTokens: leg.inputTokens,
      // A trace has no texts. Those of the first two messages nearly always tell conversations apart.
      pinText: leg.conversationId,
    });
    if (placement === null) throw new Error('the router has chosen no instance');
    const finish = (): void => {
      this.#router.finish(placement, true);
    };
    return { server: placement.server, placedBy, finish };
  }

  #placedBy({ parentSession, rootSession, siblingGroup }: UnplacedLeg): string | null {
    const keys = { own: null, parent: parentSession, root: rootSession, sibling_group: siblingGroup };
    return keys[this.policy.subagentKey];
  }

  /** Takes note of a block that a rank has stored or removed. */
  blockChanged(server: string, rank: number, event: BlockEvent): void {
    this.#changes.get(server)?.[rank]?.add(event);
  }

  /** What workers publish arrives without delay here. */
  #tellIndex(): void {
    for (const [server, ranks] of this.#changes) {
      ranks.forEach((changes, rank) => {
        const change = changes.take();
        if (change !== null) this.#index?.apply(server, rank, change);
      });
    }
  }
}

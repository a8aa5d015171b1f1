import { createAdpRouter } from '@roost/adp-router';
import { CHARS_PER_TOKEN, createRouterRegistry, type FleetRouter, type Placement } from '@roost/fleet-router';
import { PrefixIndex } from '@roost/prefix-index';

import type { Policy } from '../policies/policy.js';

import { BlockChanges } from './block-changes.js';
import { ContextInstance } from './context-instance.js';
import type { PrefillJob } from './rank-queue.js';
import type { ReplayOptions } from './replay-options.js';
import type { VirtualTime } from './virtual-time.js';

/** What becomes of a job that a fleet was given. */
export interface ContextLeg extends Omit<PrefillJob, 'placedBy'> {
  /** Null for a main agent; the same of `rootSession`. */
  readonly parentSession: string | null;
  readonly rootSession: string | null;
  /** The first token is there. */
  prefilled(cachedTokens: number): void;
  /** A generation worker has the KV cache. */
  handedOff(): void;
}

interface Placed extends PrefillJob {
  readonly leg: ContextLeg;
  readonly placement: Placement;
}

/** Room for the blocks of all caches of a replay. */
const INDEX_BYTES = 1 << 30;

/** All context instances, and the router before them: the edge of a replay. */
export class ContextFleet {
  readonly #instances = new Map<string, ContextInstance<Placed>>();
  readonly #router: FleetRouter;
  readonly #index = new PrefixIndex({ maxBytes: INDEX_BYTES });
  readonly #changes = new Map<string, BlockChanges[]>();
  readonly #followsBlocks: boolean;

  constructor(
    private readonly policy: Policy,
    options: ReplayOptions,
    time: VirtualTime,
    tokensPerBlock: number,
  ) {
    const servers = Array.from({ length: options.instances }, (_, index) => `context-${String(index)}`);
    this.#followsBlocks = policy.router.type === 'kv_cache_aware';
    const { type, args } = policy.router;
    this.#router = createRouterRegistry().create(
      type,
      this.#followsBlocks ? { tokens_per_block: tokensPerBlock, ...args } : args,
      { servers, prefixIndex: this.#index, now: () => time.now },
    ).router;
    for (const server of servers) {
      this.#changes.set(
        server,
        Array.from({ length: options.ranksPerInstance }, () => new BlockChanges()),
      );
      const adpRouter = createAdpRouter(policy.attentionDp, options.maxBatchSize);
      this.#instances.set(
        server,
        new ContextInstance<Placed>(options, adpRouter, time, this.#listenTo(server), tokensPerBlock),
      );
    }
  }

  /** Prompt tokens computed so far, by instance and rank. */
  prefillTokens(): readonly (readonly number[])[] {
    return [...this.#instances.values()].map(({ prefillTokens }) => prefillTokens);
  }

  /** Places a request that has just arrived. */
  place(leg: ContextLeg): void {
    const placedBy = this.#placedBy(leg);
    if (this.#followsBlocks) this.#tellIndex();
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
    const instance = placement === null ? undefined : this.#instances.get(placement.server);
    if (placement === null || instance === undefined) throw new Error('the router has chosen no instance');
    const { inputTokens, hashes, conversationId } = leg;
    instance.submit({ inputTokens, hashes, conversationId, placedBy, leg, placement });
  }

  #placedBy({ parentSession, rootSession }: ContextLeg): string | null {
    return { own: null, parent: parentSession, root: rootSession }[this.policy.subagentKey];
  }

  #listenTo(server: string): ConstructorParameters<typeof ContextInstance<Placed>>[3] {
    return {
      prefilled: ({ leg, placement }, cachedTokens) => {
        this.#router.finish(placement, true);
        leg.prefilled(cachedTokens);
      },
      handedOff: ({ leg }) => leg.handedOff(),
      blocksChanged: (rank, event) => {
        if (this.#followsBlocks) this.#changes.get(server)?.[rank]?.add(event);
      },
    };
  }

  /** What workers publish arrives without delay here. */
  #tellIndex(): void {
    for (const [server, ranks] of this.#changes) {
      ranks.forEach((changes, rank) => {
        const change = changes.take();
        if (change !== null) this.#index.apply(server, rank, change);
      });
    }
  }
}

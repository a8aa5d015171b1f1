import { Batch } from '../../batch.js';
import { type BindingSlot, BindingTable } from '../../binding-table.js';
import { checkedMultiplier } from '../../fair-share-multiplier.js';
import { checkedHardCap } from '../../hard-cap.js';
import type { AdpRequest, AdpRouter, Assignment, BindingCounts, RankLoad } from '../../ports/adp-router.js';
import type { Placement, PlacementStrategy } from '../../ports/placement.js';
import { parentSession, routingKey } from '../../routing-key.js';
import { strictFirst } from '../../strict-first.js';
import { waitedFirst } from '../../waited-first.js';

/** What a conversation-aware router is made of. */
export interface ConversationRouterOptions {
  /** The hard cap: active requests that no rank may exceed; a whole number of at least 1. */
  readonly maxNumActiveRequests: number;
  /** Bindings kept, the least recently used evicted; less than 1 counts as 1. */
  readonly maxSessions: number;
  /** How far above its fair share placement may load a rank; less than 1 counts as 1. */
  readonly fairShareMultiplier: number;
  /** How ranks are chosen for requests without a usable binding. */
  readonly placement: PlacementStrategy;
  /**
   * Iterations that a request waits for its home rank while that is at its hard cap, before it overflows: 0 for not at all,
   * which is the default, Infinity for as long as it takes.
   */
  readonly maxHomeWaitIters?: number;
}

/**
 * Keeps every conversation, and with it the sub-agents of its agent, on the rank that its first request was placed on, up to
 * the rank's hard cap (reference 6.2). A request whose home is full overflows without rebinding, at once or, under strict
 * affinity, after it has waited for its home. Nothing expires by time.
 */
export class ConversationRouter implements AdpRouter {
  readonly needsCachedTokens: boolean;
  readonly canDefer: boolean;
  private readonly hardCap: number;
  private readonly fairShareMultiplier: number;
  private readonly table: BindingTable;
  private readonly placement: Placement;
  private readonly maxHomeWaitIters: number;

  /** @throws RangeError for options that make no sense, as said at each */
  constructor(options: ConversationRouterOptions) {
    this.hardCap = checkedHardCap(options.maxNumActiveRequests);
    this.table = new BindingTable(Math.max(1, options.maxSessions));
    this.fairShareMultiplier = checkedMultiplier(options.fairShareMultiplier);
    this.placement = options.placement.create();
    this.needsCachedTokens = options.placement.needsCachedTokens;
    this.maxHomeWaitIters = options.maxHomeWaitIters ?? 0;
    if (!(this.maxHomeWaitIters >= 0)) throw new RangeError('a wait is at least 0 iterations');
    this.canDefer = this.maxHomeWaitIters > 0;
  }

  /** Every routing key with the rank that it is bound to, the least recently used first. */
  bindings(): Iterable<[routingKey: string, rank: number]> {
    return this.table.entries();
  }

  bindingCounts(): BindingCounts {
    return { held: this.table.size, evicted: this.table.evictions };
  }

  assign<Id>(ranks: readonly RankLoad[], requests: readonly AdpRequest<Id>[]): Assignment<Id> {
    const batch = new Batch<Id>(ranks, requests.length, this.hardCap, this.canDefer);
    if (!this.canDefer) return batch.finish(this.serve(batch, strictFirst(requests)));
    const { waited, arrived } = waitedFirst(requests);
    // Before all others, else a stream of strict or explicit requests could take every slot that their home gets free.
    for (const request of waited) this.serve(batch, [request]);
    return batch.finish(this.serve(batch, strictFirst(arrived)));
  }

  /** Places requests in this order, and gives the soft cap that held for them. */
  private serve<Id>(batch: Batch<Id>, requests: readonly AdpRequest<Id>[]): number {
    const rest = this.placeExplicit(batch, requests);
    const softCap = this.softCap(batch);
    for (const request of rest) this.placeOne(batch, softCap, request);
    return softCap;
  }

  /** Some rank is below it as long as a request is left, since it is neither below the fair share nor above the hard cap. */
  private softCap(batch: Batch<unknown>): number {
    const share = Math.ceil(this.fairShareMultiplier * batch.fairShare);
    return Math.min(Math.max(share, batch.busiest), this.hardCap);
  }

  private placeExplicit<Id>(batch: Batch<Id>, requests: readonly AdpRequest<Id>[]): AdpRequest<Id>[] {
    const rest: AdpRequest<Id>[] = [];
    for (const request of requests) {
      const rank = request.attentionDpRank ?? -1;
      const isPlaced = batch.hasRoom(rank) && this.placeFirst(batch, request, rank);
      if (!isPlaced) rest.push(request);
    }
    return rest;
  }

  /** Whether the request was placed on the rank that it asks for: not when its key is bound already. */
  private placeFirst<Id>(batch: Batch<Id>, request: AdpRequest<Id>, rank: number): boolean {
    const key = routingKey(request);
    const slot = this.slotOf(key);
    if (slot !== undefined && this.table.rankAt(slot) < batch.numRanks) return false;
    batch.place(request, rank, 'explicit');
    if (key !== null) this.table.bind(key, rank);
    return true;
  }

  private placeOne<Id>(batch: Batch<Id>, softCap: number, request: AdpRequest<Id>): void {
    const key = routingKey(request);
    const slot = this.slotOf(key);
    const home = slot === undefined ? batch.numRanks : this.table.rankAt(slot);
    if (slot !== undefined && batch.hasRoom(home)) {
      this.table.touch(slot);
      const viaParent = parentSession(request) !== null;
      batch.place(request, home, viaParent ? 'parent' : 'sticky');
      return;
    }
    // A home that the instance no longer has is none.
    const isBound = home < batch.numRanks;
    if (this.mustWait(batch, request, isBound)) {
      if (slot !== undefined) this.table.touch(slot);
      batch.defer(request);
      return;
    }
    const rank = this.placement.choose(batch, softCap, request);
    batch.place(request, rank, isBound ? 'overflow' : 'new');
    if (key !== null && !isBound) this.table.bind(key, rank);
  }

  private mustWait(batch: Batch<unknown>, { waitedIters = 0 }: AdpRequest<unknown>, isBound: boolean): boolean {
    return !batch.hasRoomLeft || (isBound && waitedIters < this.maxHomeWaitIters);
  }

  private slotOf(key: string | null): BindingSlot | undefined {
    return key === null ? undefined : this.table.find(key);
  }
}

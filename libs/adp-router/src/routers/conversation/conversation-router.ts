import { Batch } from '../../batch.js';
import { BindingTable } from '../../binding-table.js';
import { checkedHardCap } from '../../hard-cap.js';
import type { AdpRequest, AdpRouter, Assignment, RankLoad } from '../../ports/adp-router.js';
import type { Placement, PlacementStrategy } from '../../ports/placement.js';
import { parentSession, routingKey } from '../../routing-key.js';
import { strictFirst } from '../../strict-first.js';

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
}

/**
 * Keeps every conversation, and with it the sub-agents of its agent, on the rank that its first request was placed on, up to
 * the rank's hard cap (reference 6.2). A request whose home is full overflows without rebinding. Nothing expires by time.
 */
export class ConversationRouter implements AdpRouter {
  private readonly hardCap: number;
  private readonly fairShareMultiplier: number;
  private readonly table: BindingTable;
  private readonly placement: Placement;

  /** @throws RangeError for options that make no sense, as said at each */
  constructor(options: ConversationRouterOptions) {
    this.hardCap = checkedHardCap(options.maxNumActiveRequests);
    this.table = new BindingTable(Math.max(1, options.maxSessions));
    this.fairShareMultiplier = Math.max(1, options.fairShareMultiplier);
    if (Number.isNaN(this.fairShareMultiplier)) {
      throw new RangeError('the fair share multiplier is not a number');
    }
    this.placement = options.placement.create();
  }

  /** Every routing key with the rank that it is bound to, the least recently used first. */
  bindings(): Iterable<[routingKey: string, rank: number]> {
    return this.table.entries();
  }

  assign<Id>(ranks: readonly RankLoad[], requests: readonly AdpRequest<Id>[]): Assignment<Id> {
    const batch = new Batch<Id>(ranks, requests.length, this.hardCap);
    const rest = this.placeExplicit(batch, strictFirst(requests));
    const softCap = this.softCap(batch);
    for (const request of rest) this.placeOne(batch, softCap, request);
    return batch.finish(softCap);
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
    const slot = key === null ? undefined : this.table.find(key);
    if (slot !== undefined && this.table.rankAt(slot) < batch.numRanks) return false;
    batch.place(request, rank, 'explicit');
    if (key !== null) this.table.bind(key, rank);
    return true;
  }

  private placeOne<Id>(batch: Batch<Id>, softCap: number, request: AdpRequest<Id>): void {
    const key = routingKey(request);
    const slot = key === null ? undefined : this.table.find(key);
    const home = slot === undefined ? batch.numRanks : this.table.rankAt(slot);
    if (slot !== undefined && batch.hasRoom(home)) {
      this.table.touch(slot);
      const viaParent = parentSession(request) !== null;
      batch.place(request, home, viaParent ? 'parent' : 'sticky');
      return;
    }
    const rank = this.placement.choose(batch, softCap);
    // A home that the instance no longer has is none.
    const isBound = home < batch.numRanks;
    batch.place(request, rank, isBound ? 'overflow' : 'new');
    if (key !== null && !isBound) this.table.bind(key, rank);
  }
}

import { Batch } from '../../batch.js';
import { cachedTokensOf } from '../../cached-tokens.js';
import { checkedMultiplier } from '../../fair-share-multiplier.js';
import { checkedHardCap } from '../../hard-cap.js';
import type { AdpRequest, AdpRouter, Assignment, RankLoad } from '../../ports/adp-router.js';
import { strictFirst } from '../../strict-first.js';

import { type Candidate, chooseByScore } from './choose-by-score.js';
import { type InTransfer, measureInTransfer, nothingInTransfer } from './in-transfer.js';
import type { ScoreWeights } from './score-rank.js';

/** What a KV-cache-aware router is made of. */
export interface KvCacheAwareRouterOptions extends ScoreWeights {
  /** The hard cap: active requests that no rank may exceed; a whole number of at least 1. */
  readonly maxNumActiveRequests: number;
  /** How far above its fair share the score may load a rank; less than 1 counts as 1. */
  readonly fairShareMultiplier: number;
  /** Whether each rank is given a request before the score decides about any. */
  readonly coldStartWarmup: boolean;
  /** Whether requests whose KV cache is held for its transfer are load of their rank. */
  readonly accountForInTransfer: boolean;
}

/**
 * Sends every request to where most of its prompt is cached, less what that rank has to do already (reference 6.1). Keeps
 * no bindings: what it knows of the past is what the caches hold.
 */
export class KvCacheAwareRouter implements AdpRouter {
  readonly needsCachedTokens = true;
  readonly canDefer = false;
  private readonly hardCap: number;
  private readonly fairShareMultiplier: number;
  private readonly warmed = new Set<number>();
  private cursor = 0;

  /** @throws RangeError for options that make no sense, as said at each */
  constructor(private readonly options: KvCacheAwareRouterOptions) {
    this.hardCap = checkedHardCap(options.maxNumActiveRequests);
    this.fairShareMultiplier = checkedMultiplier(options.fairShareMultiplier);
    if (!Number.isFinite(options.loadBalanceWeight) || options.loadBalanceWeight < 0) {
      throw new RangeError('the load balance weight is a finite number of at least 0');
    }
    if (!(options.matchRateThreshold >= 0 && options.matchRateThreshold <= 1)) {
      throw new RangeError('the match rate threshold is 0 to 1');
    }
  }

  assign<Id>(ranks: readonly RankLoad[], requests: readonly AdpRequest<Id>[]): Assignment<Id> {
    const batch = new Batch<Id>(ranks, requests.length, this.hardCap);
    const inTransfer = this.options.accountForInTransfer
      ? measureInTransfer(ranks, batch.pendingPrefillTokens, requests)
      : nothingInTransfer(ranks.length);
    const rest = strictFirst(requests).filter((request) => !this.placeUnscored(batch, request));
    const softCap = this.softCap(batch, inTransfer);
    for (const request of rest) this.placeScored(batch, request, inTransfer, softCap);
    return batch.finish(Math.min(softCap, this.hardCap));
  }

  /** Whether the request went to the rank that it asks for, or asking for none, to one that is still cold. */
  private placeUnscored<Id>(batch: Batch<Id>, request: AdpRequest<Id>): boolean {
    const asked = request.attentionDpRank ?? -1;
    const isExplicit = batch.activeRequests[asked] !== undefined;
    const rank = isExplicit ? asked : this.coldRank(batch);
    if (!batch.hasRoom(rank)) return false;
    batch.place(request, rank, isExplicit ? 'explicit' : 'new');
    this.warmed.add(rank);
    return true;
  }

  private coldRank(batch: Batch<unknown>): number {
    if (!this.options.coldStartWarmup) return -1;
    return batch.activeRequests.findIndex((_, rank) => !this.warmed.has(rank) && batch.hasRoom(rank));
  }

  private softCap(batch: Batch<unknown>, inTransfer: InTransfer): number {
    let total = batch.numLeft;
    let busiest = 0;
    for (let rank = 0; rank < batch.numRanks; rank += 1) {
      const count = requestsOn(rank, batch, inTransfer);
      total += count;
      busiest = Math.max(busiest, count);
    }
    return Math.max(Math.ceil(this.fairShareMultiplier * Math.ceil(total / batch.numRanks)), busiest);
  }

  private placeScored<Id>(batch: Batch<Id>, request: AdpRequest<Id>, inTransfer: InTransfer, softCap: number): void {
    const candidates = this.candidates(batch, request, inTransfer, softCap);
    const { rank, isCached } = chooseByScore(candidates, request.numInputTokens, this.options);
    this.cursor = (rank + 1) % batch.numRanks;
    batch.place(request, rank, isCached ? 'prefix' : 'new');
    this.warmed.add(rank);
  }

  /** From the rank after the one that was chosen last on, which makes equals take turns. */
  private candidates(
    batch: Batch<unknown>,
    request: AdpRequest<unknown>,
    inTransfer: InTransfer,
    softCap: number,
  ): readonly Candidate[] {
    const withRoom: Candidate[] = [];
    const belowShare: Candidate[] = [];
    for (let step = 0; step < batch.numRanks; step += 1) {
      const rank = (this.cursor + step) % batch.numRanks;
      if (!batch.hasRoom(rank)) continue;
      const candidate = {
        rank,
        cachedTokens: cachedTokensOf(request, rank),
        load: (batch.pendingPrefillTokens[rank] ?? 0) + (inTransfer.tokens[rank] ?? 0),
        numRequests: requestsOn(rank, batch, inTransfer),
      };
      withRoom.push(candidate);
      if (candidate.numRequests < softCap) belowShare.push(candidate);
    }
    // Requests in transfer take no slot: they can put every rank that has a free one above its share.
    return belowShare.length > 0 ? belowShare : withRoom;
  }
}

function requestsOn(rank: number, batch: Batch<unknown>, inTransfer: InTransfer): number {
  return (batch.activeRequests[rank] ?? 0) + (inTransfer.requests[rank] ?? 0);
}

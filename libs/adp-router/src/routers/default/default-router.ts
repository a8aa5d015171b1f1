import { Batch } from '../../batch.js';
import { checkedHardCap } from '../../hard-cap.js';
import { lightestFrom } from '../../placements/least-tokens/lightest-from.js';
import type { AdpRequest, AdpRouter, Assignment, RankLoad } from '../../ports/adp-router.js';
import { strictFirst } from '../../strict-first.js';

/**
 * Balances ranks by prompt tokens and keeps no bindings: requests that ask for a rank get it while it has room, the others
 * go, longest first, to the rank with the fewest active tokens that is below its fair share.
 */
export class DefaultRouter implements AdpRouter {
  readonly needsCachedTokens = false;
  readonly canDefer = false;
  private readonly hardCap: number;

  /**
   * @param maxNumActiveRequests the hard cap: active requests that no rank may exceed
   * @throws RangeError when it is not a whole number of at least 1
   */
  constructor(maxNumActiveRequests: number) {
    this.hardCap = checkedHardCap(maxNumActiveRequests);
  }

  assign<Id>(ranks: readonly RankLoad[], requests: readonly AdpRequest<Id>[]): Assignment<Id> {
    const batch = new Batch<Id>(ranks, requests.length, this.hardCap);
    const rest = placeExplicit(batch, strictFirst(requests));
    const softCap = Math.min(this.hardCap, Math.max(batch.fairShare, batch.busiest));
    rest.sort((a, b) => b.numInputTokens - a.numInputTokens);
    for (const request of rest) {
      batch.place(request, lightestFrom(0, batch.activeTokens, batch, softCap), 'new');
    }
    return batch.finish(softCap);
  }
}

function placeExplicit<Id>(batch: Batch<Id>, requests: readonly AdpRequest<Id>[]): AdpRequest<Id>[] {
  const rest: AdpRequest<Id>[] = [];
  for (const request of requests) {
    const rank = request.attentionDpRank ?? -1;
    // A compatible router weighs ranks by the tokens that were there before and those that it spreads itself, not by these.
    if (batch.hasRoom(rank)) batch.place(request, rank, 'explicit', 0);
    else rest.push(request);
  }
  return rest;
}

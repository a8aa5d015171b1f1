import { cachedTokensOf } from '../../cached-tokens.js';
import type { PlacedRequest, Placement, PlacementStrategy, RankCounts } from '../../ports/placement.js';
import { lightestFrom } from '../least-tokens/lightest-from.js';

class LeastPrefill implements Placement {
  private cursor = 0;

  choose(ranks: RankCounts, cap: number, request: PlacedRequest): number {
    const tokens = ranks.pendingPrefillTokens.map((pending, rank) => pending - cachedTokensOf(request, rank));
    const rank = lightestFrom(this.cursor, tokens, ranks, cap);
    this.cursor = (rank + 1) % tokens.length;
    return rank;
  }
}

/**
 * The rank below the cap that would have the fewest prompt tokens to compute with this request on it, what it has cached
 * of the request left out; then the fewest active requests, then the nearest after the rank chosen last (reference 6.1
 * names it and does not say how it works).
 */
export const leastPrefill: PlacementStrategy = {
  name: 'least_prefill',
  needsCachedTokens: true,
  create: () => new LeastPrefill(),
};

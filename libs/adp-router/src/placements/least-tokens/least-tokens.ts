import type { Placement, PlacementStrategy, RankCounts } from '../../ports/placement.js';

import { lightestFrom } from './lightest-from.js';

class LeastTokens implements Placement {
  private cursor = 0;

  choose(ranks: RankCounts, cap: number): number {
    const rank = lightestFrom(this.cursor, ranks.activeTokens, ranks, cap);
    this.cursor = (rank + 1) % ranks.activeRequests.length;
    return rank;
  }
}

/**
 * The rank below the cap with the fewest active prompt tokens, then the fewest active requests, then the nearest after
 * the rank chosen last (reference 6.2).
 */
export const leastTokens: PlacementStrategy = {
  name: 'least_tokens',
  needsCachedTokens: false,
  create: () => new LeastTokens(),
};

import type { Placement, PlacementStrategy, RankCounts } from '../../ports/placement.js';

class RoundRobin implements Placement {
  private cursor = 0;

  choose({ activeRequests }: RankCounts, cap: number): number {
    const numRanks = activeRequests.length;
    let rank = this.cursor % numRanks;
    for (let passed = 0; passed < numRanks; passed += 1) {
      if ((activeRequests[rank] ?? cap) < cap) break;
      rank = (rank + 1) % numRanks;
    }
    this.cursor = (rank + 1) % numRanks;
    return rank;
  }
}

/** The next rank after the one chosen last, skipping ranks at the cap. Evens out conversations, not queues (reference 6.2). */
export const roundRobin: PlacementStrategy = {
  name: 'round_robin',
  needsCachedTokens: false,
  create: () => new RoundRobin(),
};

import type { RankCounts } from '../../ports/placement.js';

/**
 * The rank below the cap with the fewest active prompt tokens, then the fewest active requests, then the nearest at or
 * after `first`, going round.
 *
 * @param cap active requests a rank; at least one rank has fewer
 */
export function lightestFrom(first: number, ranks: RankCounts, cap: number): number {
  const numRanks = ranks.activeRequests.length;
  // Only a strict gain replaces the best so far, which makes the distance from `first` the last tie-break.
  let best = -1;
  for (let step = 0; step < numRanks; step += 1) {
    const rank = (first + step) % numRanks;
    if ((ranks.activeRequests[rank] ?? cap) >= cap) continue;
    if (best < 0 || isLighter(ranks, rank, best)) best = rank;
  }
  return best;
}

function isLighter(ranks: RankCounts, a: number, b: number): boolean {
  const tokens = (ranks.activeTokens[a] ?? 0) - (ranks.activeTokens[b] ?? 0);
  if (tokens !== 0) return tokens < 0;
  return (ranks.activeRequests[a] ?? 0) < (ranks.activeRequests[b] ?? 0);
}

import type { RankCounts } from '../../ports/placement.js';

/**
 * The rank below the cap with the fewest tokens, then the fewest active requests, then the nearest at or after `first`,
 * going round.
 *
 * @param tokens by rank, what to compare
 * @param cap active requests a rank; at least one rank has fewer
 */
export function lightestFrom(
  first: number,
  tokens: readonly number[],
  { activeRequests }: Pick<RankCounts, 'activeRequests'>,
  cap: number,
): number {
  const numRanks = activeRequests.length;
  const isLighter = (a: number, b: number): boolean => {
    const more = (tokens[a] ?? 0) - (tokens[b] ?? 0);
    return more === 0 ? (activeRequests[a] ?? 0) < (activeRequests[b] ?? 0) : more < 0;
  };
  // Only a strict gain replaces the best so far, which makes the distance from `first` the last tie-break.
  let best = -1;
  for (let step = 0; step < numRanks; step += 1) {
    const rank = (first + step) % numRanks;
    if ((activeRequests[rank] ?? cap) >= cap) continue;
    if (best < 0 || isLighter(rank, best)) best = rank;
  }
  return best;
}

/** How the score weighs what it sees. */
export interface ScoreWeights {
  /** What a rank's whole share of the load costs, in prompts served from the cache: beta; a finite number of at least 0. */
  readonly loadBalanceWeight: number;
  /** Share of the prompt, 0 to 1, that some rank must have more than cached for cached tokens to count at all. */
  readonly matchRateThreshold: number;
}

/**
 * How much a request should go to a rank: the share of its prompt that is cached there, less beta times the rank's share of
 * the load. Both shares are 0 to 1, so the score is -beta to 1, whatever the lengths of prompts.
 *
 * @param cachedTokens that count, 0 to `numInputTokens`
 * @param load tokens that the rank has to compute
 * @param totalLoad the same over all ranks that could be chosen; taken for at least one request of this length, lest a few
 *   tokens on an idle instance weigh as much as a full rank
 */
export function scoreRank(
  numInputTokens: number,
  cachedTokens: number,
  load: number,
  totalLoad: number,
  loadBalanceWeight: number,
): number {
  const matchRate = cachedTokens / Math.max(numInputTokens, 1);
  const loadShare = load / Math.max(totalLoad, numInputTokens, 1);
  return matchRate - loadBalanceWeight * loadShare;
}

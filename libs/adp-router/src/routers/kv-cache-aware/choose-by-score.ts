import { scoreRank, type ScoreWeights } from './score-rank.js';

/** A rank that a request could go to. */
export interface Candidate {
  readonly rank: number;
  /** Tokens of the request's prompt that the rank has cached. */
  readonly cachedTokens: number;
  /** Tokens that the rank has to compute. */
  readonly load: number;
  /** Requests that count for the rank. */
  readonly numRequests: number;
}

/** The rank that was chosen. */
export interface Choice {
  readonly rank: number;
  /** Whether more of the prompt than the threshold is cached there. */
  readonly isCached: boolean;
}

/**
 * The candidate of the highest score; among equals that with the least load, then the fewest requests, then the first.
 *
 * @param candidates at least one
 */
export function chooseByScore(
  candidates: readonly Candidate[],
  numInputTokens: number,
  { loadBalanceWeight, matchRateThreshold }: ScoreWeights,
): Choice {
  const isEnough = ({ cachedTokens }: Candidate): boolean =>
    cachedTokens / Math.max(numInputTokens, 1) > matchRateThreshold;
  const counts = candidates.some(isEnough);
  const totalLoad = candidates.reduce((sum, { load }) => sum + load, 0);
  const scoreOf = ({ cachedTokens, load }: Candidate): number =>
    scoreRank(numInputTokens, counts ? cachedTokens : 0, load, totalLoad, loadBalanceWeight);

  let [best] = candidates;
  if (best === undefined) throw new RangeError('there is no rank to choose');
  let bestScore = scoreOf(best);
  for (const candidate of candidates) {
    const score = scoreOf(candidate);
    if (score < bestScore || (score === bestScore && !isLighter(candidate, best))) continue;
    best = candidate;
    bestScore = score;
  }
  return { rank: best.rank, isCached: isEnough(best) };
}

function isLighter(a: Candidate, b: Candidate): boolean {
  return a.load === b.load ? a.numRequests < b.numRequests : a.load < b.load;
}

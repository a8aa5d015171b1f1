import type { RankLoad } from './ports/adp-router.js';

/** A request on a rank, as far as it is load. */
export interface RankRequest {
  readonly numPromptTokens: number;
  /** True once the request has nothing left to compute and only waits to be taken off the rank. */
  readonly retiring: boolean;
}

/** The load that these requests put on a rank. Retiring requests are none (reference 8.6, scenario 9). */
export function measureRankLoad(rank: number, requests: Iterable<RankRequest>): RankLoad {
  let numActiveRequests = 0;
  let numActiveTokens = 0;
  for (const { numPromptTokens, retiring } of requests) {
    if (retiring) continue;
    numActiveRequests += 1;
    numActiveTokens += numPromptTokens;
  }
  return { rank, numActiveRequests, numActiveTokens };
}

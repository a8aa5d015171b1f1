import type { AdpRequest, RankLoad } from '../../ports/adp-router.js';

/** What requests in transfer add to the load of the ranks, by rank number. */
export interface InTransfer {
  readonly requests: readonly number[];
  readonly tokens: readonly number[];
}

/** For a router that takes no account of them. */
export function nothingInTransfer(numRanks: number): InTransfer {
  const none = new Array<number>(numRanks).fill(0);
  return { requests: none, tokens: none };
}

/**
 * Takes account of them. How long their prompts were is not known: each counts as many tokens as the mean active request of
 * the instance, or where none is active, as the mean prompt of the batch.
 *
 * @param load tokens on each rank, by rank number
 */
export function measureInTransfer(
  ranks: readonly RankLoad[],
  load: readonly number[],
  requests: readonly AdpRequest<unknown>[],
): InTransfer {
  const held = new Array<number>(ranks.length).fill(0);
  let numActive = 0;
  for (const { rank, numInTransfer = 0, numActiveRequests } of ranks) {
    held[rank] = numInTransfer;
    numActive += numActiveRequests;
  }
  const weight =
    numActive > 0
      ? mean(load, numActive)
      : mean(
          requests.map(({ numInputTokens }) => numInputTokens),
          requests.length,
        );
  return { requests: held, tokens: held.map((count) => count * weight) };
}

function mean(tokens: readonly number[], count: number): number {
  // Whole tokens add up to the same in whatever order the ranks come.
  return count === 0 ? 0 : Math.round(tokens.reduce((sum, more) => sum + more, 0) / count);
}

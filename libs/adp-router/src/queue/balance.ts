import type { RankLoad } from '../ports/adp-router.js';

/** The fields of `attention_dp_config` that hold requests back for each other; each may be absent (reference 6.1). */
export interface BalanceOptions {
  /** Hold requests back at all. Default false. */
  readonly enable_balance?: boolean | undefined;
  /** Default 50. */
  readonly timeout_iters?: number | undefined;
  /** Default 10. */
  readonly batching_wait_iters?: number | undefined;
}

/** How long requests may be held back so that all ranks get work together. */
export interface BalanceLimits {
  /** The most iterations that a request is held while there are fewer than one for each rank; at least 0. */
  readonly timeoutIters: number;
  /** The same while there is one for each rank, but they would leave slots free; at least 0. */
  readonly batchingWaitIters: number;
}

/** What waits, and for how long. */
export interface WaitingRequests {
  readonly count: number;
  /** The iterations that ended since the first of them came. */
  readonly longestIters: number;
}

/** The limits that a configuration asks for; null where it holds nothing back. */
export function balanceLimitsOf(options: BalanceOptions): BalanceLimits | null {
  if (options.enable_balance !== true) return null;
  return { timeoutIters: options.timeout_iters ?? 50, batchingWaitIters: options.batching_wait_iters ?? 10 };
}

/**
 * Whether requests are to be held back. Ranks step together, and an iteration takes as long as the rank with most to
 * compute: one prompt on one rank makes all others wait for it, one on each rank costs no more. So requests wait for each
 * other, but never while a rank has nothing to do, never once they would fill all slots, and never beyond the limits.
 *
 * @param cap requests that a rank can have
 */
export function shouldHold(
  { count, longestIters }: WaitingRequests,
  ranks: readonly Pick<RankLoad, 'numActiveRequests'>[],
  cap: number,
  { timeoutIters, batchingWaitIters }: BalanceLimits,
): boolean {
  let ranksWithRoom = 0;
  let slots = 0;
  for (const { numActiveRequests } of ranks) {
    if (numActiveRequests === 0) return false;
    if (numActiveRequests < cap) ranksWithRoom += 1;
    slots += Math.max(0, cap - numActiveRequests);
  }
  if (ranks.length === 1 || count >= slots) return false;
  return longestIters < (count < ranksWithRoom ? timeoutIters : batchingWaitIters);
}

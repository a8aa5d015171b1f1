/** What has to be known of a request to share out an iteration. */
export interface Pending {
  readonly pendingTokens: number;
}

/** What one request computes in one iteration. */
export interface Step<Item extends Pending> {
  readonly item: Item;
  readonly numTokens: number;
}

/**
 * Shares an iteration out: first a token for each request that has one to compute, then the rest evenly among those with
 * more, so that a long prompt holds up neither answers nor short prompts.
 *
 * @param budget tokens in all
 */
export function planSteps<Item extends Pending>(items: readonly Item[], budget: number): readonly Step<Item>[] {
  const steps: Step<Item>[] = [];
  let left = budget;
  const shortestFirst = items.toSorted((a, b) => a.pendingTokens - b.pendingTokens);
  shortestFirst.forEach((item, index) => {
    const share = Math.ceil(left / (shortestFirst.length - index));
    const numTokens = Math.min(item.pendingTokens, share, left);
    if (numTokens < 1) return;
    steps.push({ item, numTokens });
    left -= numTokens;
  });
  return steps;
}

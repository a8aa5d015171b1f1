/** Whole blocks that a cache of so many tokens has room for; for Infinity tokens more than any trace has. */
export function capacityBlocks(tokens: number, tokensPerBlock: number): number {
  return Math.min(Math.floor(tokens / tokensPerBlock), Number.MAX_SAFE_INTEGER);
}

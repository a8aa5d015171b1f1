/**
 * One cache of unlimited size for all requests: what the best placement could have reused (agent-traffic reference 3.2).
 * Which requests it knows is for the caller to say: those that have arrived (the instant clock), or only those whose
 * prefill is finished (the causal clock).
 */
export class PrefixOracle {
  /** When each block was last part of a request; NaN, which compares false with everything: never. */
  readonly #lastUsed: Float64Array;

  /**
   * @param numBlocks block numbers are below it
   * @param horizonMs how long after its last use a block may be reused; Infinity: for ever
   */
  constructor(
    numBlocks: number,
    private readonly tokensPerBlock: number,
    private readonly horizonMs = Infinity,
  ) {
    this.#lastUsed = new Float64Array(numBlocks).fill(NaN);
  }

  /**
   * How many leading tokens of a prompt could be reused now: whole blocks, and never the last token, which every engine
   * has to compute.
   */
  reusableTokens(blocks: Uint32Array, inputTokens: number, now: number): number {
    const most = Math.min(blocks.length, Math.floor((inputTokens - 1) / this.tokensPerBlock));
    const since = now - this.horizonMs;
    let count = 0;
    while (count < most && (this.#lastUsed[blocks[count] ?? 0] ?? NaN) >= since) count += 1;
    return count * this.tokensPerBlock;
  }

  /** Takes the blocks of a request in, or if they are there, as used. */
  remember(blocks: Uint32Array, now: number): void {
    for (const block of blocks) this.#lastUsed[block] = now;
  }
}

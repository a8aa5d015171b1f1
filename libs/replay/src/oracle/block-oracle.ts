import type { PrefixOracle } from './prefix-oracle.js';

/** The oracle for many requests: knows when each block of a trace was used last. */
export class BlockOracle implements PrefixOracle {
  /** When each block was last part of a request; NaN, which compares false with everything: never. */
  readonly #lastUsed: Float64Array;

  /**
   * @param numBlocks block numbers are below it
   * @param horizons how long after its last use a block may be reused, in milliseconds; Infinity: for ever
   */
  constructor(
    numBlocks: number,
    private readonly horizons: readonly number[],
  ) {
    this.#lastUsed = new Float64Array(numBlocks).fill(NaN);
  }

  sharedBlocks(blocks: Uint32Array, now: number): readonly number[] {
    return this.horizons.map((horizon) => this.#usedSince(blocks, now - horizon));
  }

  remember(blocks: Uint32Array, now: number): void {
    for (const block of blocks) this.#lastUsed[block] = now;
  }

  /** Whoever uses a block uses all before it, so that along a prompt the last uses only get older. */
  #usedSince(blocks: Uint32Array, since: number): number {
    let [low, high] = [0, blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#lastUsed[blocks[middle] ?? 0] ?? NaN) >= since) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

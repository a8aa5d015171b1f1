import type { PrefixOracle } from './prefix-oracle.js';

/** A prompt that no later one begins with, and when it was used. */
interface Branch {
  readonly blocks: Uint32Array;
  readonly at: number;
}

/**
 * The oracle for the requests of one agent or one session. Most prompts begin with all of an earlier one, which need not be
 * remembered any more: what is left are few, and they do not take up room for every block of the trace.
 */
export class BranchOracle implements PrefixOracle {
  /** In the order of their use. */
  #branches: Branch[] = [];

  /** @param horizons how long after its last use a block may be reused, in milliseconds; Infinity: for ever */
  constructor(private readonly horizons: readonly number[]) {}

  sharedBlocks(blocks: Uint32Array, now: number): readonly number[] {
    const found = this.horizons.map(() => 0);
    let longest = 0;
    for (let index = this.#branches.length - 1; index >= 0; index -= 1) {
      const branch = this.#branches[index];
      if (branch === undefined) break;
      longest = sharedBlocks(blocks, branch.blocks, longest);
      for (const [at, horizon] of this.horizons.entries()) if (branch.at >= now - horizon) found[at] = longest;
    }
    return found;
  }

  remember(blocks: Uint32Array, at: number): void {
    this.#branches = this.#branches.filter((branch) => !beginsWith(blocks, branch.blocks));
    this.#branches.push({ blocks, at });
  }
}

/** How many leading blocks two prompts have in common; `least` where it is not more than that. */
export function sharedBlocks<Block extends number | bigint>(
  one: ArrayLike<Block>,
  other: ArrayLike<Block>,
  least = 0,
): number {
  let [low, high] = [least, Math.min(one.length, other.length)];
  // A block stands for all before it: where two are equal, so is what comes before them.
  if (low >= high || one[low] !== other[low]) return low;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (one[middle] === other[middle]) low = middle + 1;
    else high = middle;
  }
  return low;
}

function beginsWith(blocks: Uint32Array, beginning: Uint32Array): boolean {
  const { length } = beginning;
  return length === 0 || (length <= blocks.length && blocks[length - 1] === beginning[length - 1]);
}

import { blockHash, rootHash } from '@roost/block-cache';

import type { BlockCensus } from './block-census.js';

/** The tokens whose cache one sequence of a rank holds, and the hashes of their full blocks. */
export class SlotTokens {
  private tokens = new Uint32Array(64);
  private size = 0;
  private readonly blocks: bigint[] = [];
  private ownSalt: string | undefined;

  constructor(
    private readonly tokensPerBlock: number,
    private readonly census: BlockCensus,
  ) {}

  get length(): number {
    return this.size;
  }

  /** What the blocks' hashes begin from; sequences of different salts share nothing. */
  get salt(): string | undefined {
    return this.ownSalt;
  }

  /** Forgets all, and begins again under a salt. */
  reset(salt: string | undefined): void {
    this.truncate(0);
    this.ownSalt = salt;
  }

  /** Adds tokens at the end. */
  append(more: ArrayLike<number>): void {
    const needed = this.size + more.length;
    if (needed > this.tokens.length) {
      const larger = new Uint32Array(Math.max(needed, this.tokens.length * 2));
      larger.set(this.tokens.subarray(0, this.size));
      this.tokens = larger;
    }
    this.tokens.set(more, this.size);
    this.size = needed;
    this.hashFullBlocks();
  }

  /** Cuts the end off. */
  truncate(length: number): void {
    this.size = Math.min(this.size, length);
    const full = Math.floor(this.size / this.tokensPerBlock);
    while (this.blocks.length > full) {
      const hash = this.blocks.pop();
      if (hash !== undefined) this.census.remove(hash);
    }
  }

  /** How many leading tokens are those of a prompt under a salt. */
  commonPrefix(prompt: Uint32Array, salt: string | undefined): number {
    if (salt !== this.ownSalt) return 0;
    const most = Math.min(this.size, prompt.length);
    for (let index = 0; index < most; index += 1) if (this.tokens[index] !== prompt[index]) return index;
    return most;
  }

  private hashFullBlocks(): void {
    for (;;) {
      const start = this.blocks.length * this.tokensPerBlock;
      if (start + this.tokensPerBlock > this.size) return;
      const parent = this.blocks.at(-1) ?? rootHash(this.ownSalt);
      const hash = blockHash(parent, this.tokens.subarray(start, start + this.tokensPerBlock));
      this.blocks.push(hash);
      this.census.add(hash);
    }
  }
}

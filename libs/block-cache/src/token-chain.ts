import { blockHash, blockHashes, rootHash } from './block-hash.js';

/** The tokens of one sequence and the hashes of its full blocks, kept in step while the sequence grows. */
export class TokenChain {
  private tokens: Uint32Array;
  private size: number;
  private readonly blocks: bigint[];
  private readonly root: bigint;

  /**
   * @param prompt is copied
   * @param salt as in {@link rootHash}
   * @throws RangeError unless `tokensPerBlock` is a positive integer
   */
  constructor(
    prompt: Uint32Array,
    readonly tokensPerBlock: number,
    salt?: string,
  ) {
    if (!Number.isInteger(tokensPerBlock) || tokensPerBlock < 1) {
      throw new RangeError(`tokensPerBlock must be a positive integer, got ${String(tokensPerBlock)}`);
    }
    this.root = rootHash(salt);
    this.blocks = blockHashes(prompt, tokensPerBlock, salt);
    this.tokens = new Uint32Array(prompt.length + tokensPerBlock);
    this.tokens.set(prompt);
    this.size = prompt.length;
  }

  /** Tokens. */
  get length(): number {
    return this.size;
  }

  /** Hashes of the full blocks, growing with the chain. */
  get hashes(): readonly bigint[] {
    return this.blocks;
  }

  /** Adds a token at the end. */
  push(token: number): void {
    if (this.size === this.tokens.length) {
      const larger = new Uint32Array(this.size * 2);
      larger.set(this.tokens);
      this.tokens = larger;
    }
    this.tokens[this.size] = token;
    this.size += 1;
    if (this.size % this.tokensPerBlock === 0) {
      const start = this.size - this.tokensPerBlock;
      this.blocks.push(blockHash(this.parentOf(this.blocks.length), this.tokens.subarray(start, this.size)));
    }
  }

  /** Tokens [start, end), as a view that is valid until the next {@link push}. */
  slice(start: number, end: number): Uint32Array {
    return this.tokens.subarray(start, Math.min(end, this.size));
  }

  /** The hash of everything before a block: the block's parent's, or the root's for block 0. */
  parentOf(block: number): bigint {
    return this.blocks[block - 1] ?? this.root;
  }
}

/** What a lease may do to its cache. */
export interface LeaseRoom {
  /** Turns one promised block into one in use. */
  take(): void;
  /** Stores a block in use under its hash, sharing the one that may be there; false when the cache stores nothing. */
  store(hash: bigint, parent: bigint | null): boolean;
  /** Unpins stored blocks, frees blocks without a hash, and drops the promise of more. */
  giveBack(hashes: readonly bigint[], unhashed: number, reserved: number): void;
}

/** The blocks that one sequence pins, and the room promised to it. Made by {@link BlockCache.admit}. */
export class BlockLease {
  /** Leading tokens that were found in the cache when the lease was made. */
  readonly cachedTokens: number;
  private readonly pinned: bigint[];
  private unhashed = 0;
  private covered: number;
  private released = false;

  constructor(
    private readonly room: LeaseRoom,
    private readonly tokensPerBlock: number,
    private readonly hashes: readonly bigint[],
    shared: readonly bigint[],
    private reserved: number,
  ) {
    this.pinned = [...shared];
    this.cachedTokens = shared.length * tokensPerBlock;
    this.covered = this.cachedTokens;
  }

  /** Tokens whose cache is there. */
  get coveredTokens(): number {
    return this.covered;
  }

  /**
   * Says that the sequence's first `numTokens` are computed: takes the blocks that they need, and stores those that became
   * full. A partial last block takes room but cannot be reused. Fewer tokens than before change nothing.
   *
   * @throws RangeError past the size that the lease was made for, or after {@link release}
   */
  cover(numTokens: number): void {
    this.checkCoverable(numTokens);
    while (this.covered < numTokens) {
      if (this.covered % this.tokensPerBlock === 0) this.takeBlock();
      const blockEnd = this.covered - (this.covered % this.tokensPerBlock) + this.tokensPerBlock;
      this.covered = Math.min(blockEnd, numTokens);
      if (this.covered === blockEnd) this.storeBlock();
    }
  }

  /** Lets go of everything. Idempotent. */
  release(): void {
    if (this.released) return;
    this.released = true;
    this.room.giveBack(this.pinned, this.unhashed, this.reserved);
  }

  private checkCoverable(numTokens: number): void {
    if (this.released) throw new RangeError('the lease was released');
    const blocks = this.pinned.length + this.unhashed + this.reserved;
    if (numTokens > blocks * this.tokensPerBlock) {
      throw new RangeError(
        `a lease of ${String(blocks)} blocks of ${String(this.tokensPerBlock)} cannot cover ${String(numTokens)} tokens`,
      );
    }
  }

  private takeBlock(): void {
    this.reserved -= 1;
    this.unhashed += 1;
    this.room.take();
  }

  private storeBlock(): void {
    const hash = this.hashes[this.pinned.length];
    if (hash === undefined) throw new RangeError('a full block has no hash');
    if (this.room.store(hash, this.pinned.at(-1) ?? null)) {
      this.unhashed -= 1;
      this.pinned.push(hash);
    }
  }
}

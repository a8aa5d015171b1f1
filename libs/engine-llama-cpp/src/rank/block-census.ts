/** A block that the sequences of a rank have come to hold, or hold no longer. */
export interface CensusEvent {
  readonly type: 'stored' | 'removed';
  readonly hash: bigint;
}

/** Counts, over all sequences of a rank, who holds which block. */
export class BlockCensus {
  private readonly holders = new Map<bigint, number>();

  /** @param tell called with every block that comes or goes, in order */
  constructor(private readonly tell: (event: CensusEvent) => void) {}

  /** Hashes of all blocks held. */
  get hashes(): readonly bigint[] {
    return [...this.holders.keys()];
  }

  /** One more sequence holds a block. */
  add(hash: bigint): void {
    const count = this.holders.get(hash) ?? 0;
    this.holders.set(hash, count + 1);
    if (count === 0) this.tell({ type: 'stored', hash });
  }

  /** One sequence fewer holds a block. */
  remove(hash: bigint): void {
    const count = this.holders.get(hash) ?? 0;
    if (count > 1) this.holders.set(hash, count - 1);
    else if (this.holders.delete(hash)) this.tell({ type: 'removed', hash });
  }
}

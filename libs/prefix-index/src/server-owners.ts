import { type Owner } from './owner-sets.js';
import { type Holder } from './prefix-match.js';

/** The owners of one server. */
export class ServerOwners {
  readonly ranks = new Map<number, Owner<Holder>>();
  readonly predictions = new Set<Owner<Holder>>();
  routed: Owner<Holder> | null = null;

  constructor(
    private readonly server: string,
    private readonly makeOwner: (of: Holder) => Owner<Holder>,
  ) {}

  /** How many there are. */
  get size(): number {
    return this.ranks.size + this.predictions.size + (this.routed === null ? 0 : 1);
  }

  /** The owner that this rank is, made when there is none. */
  rank(rank: number): Owner<Holder> {
    let owner = this.ranks.get(rank);
    if (owner === undefined) {
      owner = this.make(rank);
      this.ranks.set(rank, owner);
    }
    return owner;
  }

  /** A new owner on this server. */
  make(rank: number | null): Owner<Holder> {
    return this.makeOwner({ server: this.server, rank });
  }

  /** All owners. */
  *all(): IterableIterator<Owner<Holder>> {
    yield* this.ranks.values();
    yield* this.predictions;
    if (this.routed !== null) yield this.routed;
  }
}

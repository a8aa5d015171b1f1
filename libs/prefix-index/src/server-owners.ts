import { Owner } from './owner-sets.js';

/** The owners of one server. */
export class ServerOwners {
  readonly ranks = new Map<number, Owner>();
  readonly predictions = new Set<Owner>();
  routed: Owner | null = null;

  /** `nextSerial` never gives the same number twice. */
  constructor(
    private readonly server: string,
    private readonly nextSerial: () => number,
  ) {}

  /** How many there are. */
  get size(): number {
    return this.ranks.size + this.predictions.size + (this.routed === null ? 0 : 1);
  }

  /** The owner that this rank is, made when there is none. */
  rank(rank: number): Owner {
    let owner = this.ranks.get(rank);
    if (owner === undefined) {
      owner = this.make(rank);
      this.ranks.set(rank, owner);
    }
    return owner;
  }

  /** A new owner on this server. */
  make(rank: number | null): Owner {
    return new Owner(this.nextSerial(), this.server, rank);
  }

  /** All owners. */
  *all(): IterableIterator<Owner> {
    yield* this.ranks.values();
    yield* this.predictions;
    if (this.routed !== null) yield this.routed;
  }
}

import { type Owner } from './owner-sets.js';

/** How many leading blocks of a prompt each owner holds without a gap. Who is not named holds none. */
export interface PrefixMatch {
  /** Blocks by server: the most that one rank, or one claim on the server, has. */
  readonly perServer: ReadonlyMap<string, number>;
  /** Blocks by rank of a server; blocks that are only claimed for a server are in `perServer` alone. */
  perRank(server: string): ReadonlyMap<number, number>;
}

/** Nobody holds anything. */
export const NO_MATCH: PrefixMatch = { perServer: new Map(), perRank: () => new Map() };

/** Collects what a walk over a prompt finds. */
export class OwnerDepths implements PrefixMatch {
  readonly #depths: (readonly [Owner, number])[] = [];
  readonly perServer = new Map<string, number>();

  /** Notes that an owner holds this many blocks; once an owner. */
  add(owner: Owner, blocks: number): void {
    this.#depths.push([owner, blocks]);
    if (blocks > (this.perServer.get(owner.server) ?? 0)) this.perServer.set(owner.server, blocks);
  }

  perRank(server: string): ReadonlyMap<number, number> {
    const ranks = new Map<number, number>();
    for (const [owner, blocks] of this.#depths)
      if (owner.server === server && owner.rank !== null) ranks.set(owner.rank, blocks);
    return ranks;
  }
}

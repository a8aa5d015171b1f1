/** A rank of a server, or a claim on the server that is not of one rank (`rank` null). */
export interface Holder {
  readonly server: string;
  readonly rank: number | null;
}

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
export class HolderDepths implements PrefixMatch {
  readonly #depths: (readonly [Holder, number])[] = [];
  readonly perServer = new Map<string, number>();

  /** Notes how many blocks somebody holds; once for each. */
  add(holder: Holder, blocks: number): void {
    this.#depths.push([holder, blocks]);
    if (blocks > (this.perServer.get(holder.server) ?? 0)) this.perServer.set(holder.server, blocks);
  }

  perRank(server: string): ReadonlyMap<number, number> {
    const ranks = new Map<number, number>();
    for (const [holder, blocks] of this.#depths)
      if (holder.server === server && holder.rank !== null) ranks.set(holder.rank, blocks);
    return ranks;
  }
}

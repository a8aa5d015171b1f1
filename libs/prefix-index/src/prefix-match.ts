import { type Owner } from './owner-sets.js';

/** A rank of a server, or a claim on the server that is not of one rank (`rank` null). */
export interface Holder {
  readonly server: string;
  readonly rank: number | null;
}

/** Who holds at least this many leading blocks of a prompt without a gap. */
export interface Level<Of> {
  readonly blocks: number;
  readonly owners: readonly Owner<Of>[];
}

/** How many leading blocks of a prompt lie where without a gap. Who is not named holds none. */
export interface PrefixMatch {
  /** The most blocks that any server has, and which servers have them, each maybe more than once; none for 0. */
  readonly deepest: { readonly blocks: number; readonly servers: readonly string[] };
  /** The most blocks that any rank has beside those of `deepest`. */
  readonly nextDeepest: number;
  /** Blocks by server: the most that one rank, or one claim on the server, has. Made when it is first asked for. */
  readonly perServer: ReadonlyMap<string, number>;
  /** Blocks on one server. */
  blocksOn(server: string): number;
  /** Blocks by rank of a server; blocks that are only claimed for a server are in `perServer` alone. */
  perRank(server: string): ReadonlyMap<number, number>;
}

/**
 * What a walk over a prompt has found. It takes no time for each owner before somebody asks: a thousand instances may hold
 * the same first blocks, and one the whole prompt.
 */
export class LevelMatch implements PrefixMatch {
  #perServer: Map<string, number> | null = null;

  /** Of the levels each has more blocks, and fewer owners, than the one before. */
  constructor(private readonly levels: readonly Level<Holder>[]) {}

  get deepest(): PrefixMatch['deepest'] {
    const { blocks = 0, owners = [] } = this.levels.at(-1) ?? {};
    return { blocks, servers: owners.map(({ of }) => of.server) };
  }

  get nextDeepest(): number {
    return this.levels.at(-2)?.blocks ?? 0;
  }

  get perServer(): ReadonlyMap<string, number> {
    if (this.#perServer === null) {
      this.#perServer = new Map();
      for (const { blocks, owners } of this.levels) for (const { of } of owners) this.#perServer.set(of.server, blocks);
    }
    return this.#perServer;
  }

  blocksOn(server: string): number {
    return this.levels.findLast(({ owners }) => owners.some(({ of }) => of.server === server))?.blocks ?? 0;
  }

  perRank(server: string): ReadonlyMap<number, number> {
    const ranks = new Map<number, number>();
    for (const { blocks, owners } of this.levels)
      for (const { of } of owners) if (of.server === server && of.rank !== null) ranks.set(of.rank, blocks);
    return ranks;
  }
}

/** Nobody holds anything. */
export const NO_MATCH: PrefixMatch = new LevelMatch([]);

import { type BlockHashes, wordsOf } from './block-hashes.js';
import { BlockIndex } from './block-index.js';
import { type Holder, LevelMatch, type PrefixMatch } from './prefix-match.js';
import { ServerOwners } from './server-owners.js';

/** What changed in a rank's cache. A hash in both lists is not held. */
export interface BlockChange {
  readonly stored: BlockHashes;
  readonly removed: BlockHashes;
}

/** Blocks that are expected on a server. */
export interface Prediction {
  /** Takes the expectation back; once, however often it is called. */
  end(): void;
}

/** Sizes and totals, for metrics. */
export interface PrefixIndexStats {
  /** Blocks that somebody holds, each once. */
  readonly blocks: number;
  /** Ranks known, and claims on servers. */
  readonly owners: number;
  /** Memory taken, never more than `maxBytes`. */
  readonly bytes: number;
  /** Blocks forgotten for want of room, since the start. */
  readonly evictions: number;
}

/** Instances that hold the same blocks share their sets: few are needed. */
const SETS_SHARE = 1 / 8;

/**
 * Which KV-cache blocks lie on which server and rank. What it says is what the changes that it was told of add up to, but
 * for what it forgot for want of memory: see `BlockIndex`.
 */
export class PrefixIndex {
  readonly #blocks: BlockIndex<Holder>;
  readonly #servers = new Map<string, ServerOwners>();

  /** Takes at most `maxBytes` of memory, at least 65,536; throws a RangeError for less. */
  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#blocks = new BlockIndex({ maxBytes, setsShare: SETS_SHARE });
  }

  /**
   * Follows a change of a rank's cache. What a rank removed is no longer claimed for its server by `trackRouted` either.
   */
  apply(server: string, rank: number, { stored, removed }: BlockChange): void {
    const owners = this.#ownersOf(server);
    const owner = owners.rank(rank);
    const gone = wordsOf(removed);
    this.#blocks.store(owner, wordsOf(stored));
    this.#blocks.remove(owner, gone);
    if (owners.routed !== null) this.#blocks.remove(owners.routed, gone);
  }

  /**
   * Takes these blocks for all that the rank holds, in place of what was known of it, and of all that `trackRouted`
   * claimed for its server.
   */
  replace(server: string, rank: number, hashes: BlockHashes): void {
    this.drop(server, rank);
    const owners = this.#ownersOf(server);
    if (owners.routed !== null) this.#blocks.forget(owners.routed);
    owners.routed = null;
    this.#blocks.store(owners.rank(rank), wordsOf(hashes));
  }

  /**
   * Claims blocks for a server, on a rank that is not known: those of a request that it has served. They hold until
   * the server's own reports say otherwise; without reports, until the server is dropped or the index is full.
   */
  trackRouted(server: string, hashes: BlockHashes): void {
    const owners = this.#ownersOf(server);
    owners.routed ??= owners.make(null);
    this.#blocks.store(owners.routed, wordsOf(hashes));
  }

  /** Claims blocks for a server until the prediction ends or the server is dropped: those of a request in flight there. */
  predict(server: string, hashes: BlockHashes): Prediction {
    const owners = this.#ownersOf(server);
    const owner = owners.make(null);
    owners.predictions.add(owner);
    this.#blocks.store(owner, wordsOf(hashes));
    return {
      end: () => {
        if (owners.predictions.delete(owner)) this.#blocks.forget(owner);
      },
    };
  }

  /** Forgets what is known of one rank or, without a rank, of the server. Takes no time for each block. */
  drop(server: string, rank?: number): void {
    const owners = this.#servers.get(server);
    if (owners === undefined) return;
    if (rank === undefined) {
      for (const owner of owners.all()) this.#blocks.forget(owner);
      owners.predictions.clear();
      this.#servers.delete(server);
      return;
    }
    const owner = owners.ranks.get(rank);
    if (owner === undefined) return;
    this.#blocks.forget(owner);
    owners.ranks.delete(rank);
  }

  /** How many leading blocks of a prompt lie where; counts as a use of the blocks that lie anywhere. */
  match(hashes: BlockHashes): PrefixMatch {
    return new LevelMatch(this.#blocks.walk(wordsOf(hashes)));
  }

  /** Sizes and totals at this moment. */
  stats(): PrefixIndexStats {
    const { blocks, bytes, evictions } = this.#blocks;
    let owners = 0;
    for (const { size } of this.#servers.values()) owners += size;
    return { blocks, owners, bytes, evictions };
  }

  #ownersOf(server: string): ServerOwners {
    let owners = this.#servers.get(server);
    if (owners === undefined) {
      owners = new ServerOwners(server, (of) => this.#blocks.makeOwner(of));
      this.#servers.set(server, owners);
    }
    return owners;
  }
}

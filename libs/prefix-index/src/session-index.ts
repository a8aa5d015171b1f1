import { type BlockHashes, wordsOf } from './block-hashes.js';
import { BlockIndex } from './block-index.js';
import { type Owner } from './owner-sets.js';

/** A session that is known by the content of its prompts: its name, and where it lives. */
export interface Session<Home> {
  readonly key: string;
  readonly home: Home;
}

/** The session that shares the most leading blocks with a prompt, and how many. */
export interface SessionMatch<Home> {
  readonly session: Session<Home>;
  readonly blocks: number;
}

/** Nearly every session has a set of its own, so more is needed than where instances share sets. */
const SETS_SHARE = 1 / 4;

/**
 * Which session a prompt continues: the one that shares most of its leading blocks. Of the sessions through one block
 * it knows the latest of each home, so a look-up costs no more where a million sessions begin alike.
 *
 * Sessions are to be forgotten in the order in which they were last recorded, as a table of the least recently used does:
 * then no later session that is gone hides the latest prompt of one that is not. In any other order, for earlier prompts,
 * after a session has moved and when memory runs out, it may miss a match; it never makes one up.
 */
export class SessionIndex<Home extends object> {
  readonly #blocks: BlockIndex<Session<Home>>;
  /** The sessions that hold any block. */
  readonly #sessions = new Map<string, Owner<Session<Home>>>();
  /** One seat a home: the latest session takes it. */
  readonly #seats = new WeakMap<Home, number>();
  #lastSeat = 0;

  /** Takes at most `maxBytes` of memory, at least 65,536; throws a RangeError for less. */
  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#blocks = new BlockIndex({ maxBytes, setsShare: SETS_SHARE }, ({ of }) => this.#sessions.delete(of.key));
  }

  /** Memory taken, never more than `maxBytes`. */
  get bytes(): number {
    return this.#blocks.bytes;
  }

  /** Blocks known, each once. */
  get blocks(): number {
    return this.#blocks.blocks;
  }

  /** Sessions known. */
  get size(): number {
    return this.#sessions.size;
  }

  /** Adds a prompt's blocks to what the session has; one that lived in another home loses those from there. */
  record(key: string, home: Home, hashes: BlockHashes): void {
    let owner = this.#sessions.get(key);
    if (owner !== undefined && owner.of.home !== home) {
      this.#blocks.forget(owner);
      owner = undefined;
    }
    owner ??= this.#blocks.makeOwner({ key, home }, this.#seatOf(home));
    // Before its first block, or one that is forgotten while it is stored would leave it behind.
    this.#sessions.set(key, owner);
    this.#blocks.store(owner, wordsOf(hashes));
    if (owner.sets.size === 0) this.#sessions.delete(key);
  }

  /** Forgets a session; no effect for one that is not known. */
  forget(key: string): void {
    const owner = this.#sessions.get(key);
    if (owner !== undefined) this.#blocks.forget(owner);
  }

  /**
   * The session in a usable home that shares the most leading blocks with the prompt, among equals the one whose home has
   * had sessions for longest; null when none shares one. Counts as a use of the blocks.
   */
  match(hashes: BlockHashes, usable: (home: Home) => boolean): SessionMatch<Home> | null {
    for (const { blocks, owners } of this.#blocks.walk(wordsOf(hashes)).reverse()) {
      const owner = owners.find(({ of }) => usable(of.home));
      if (owner !== undefined) return { session: owner.of, blocks };
    }
    return null;
  }

  #seatOf(home: Home): number {
    let seat = this.#seats.get(home);
    if (seat === undefined) {
      seat = ++this.#lastSeat;
      this.#seats.set(home, seat);
    }
    return seat;
  }
}

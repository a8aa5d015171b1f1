import { NO_SLOT, SlotLinks, SlotList } from '@roost/slot-table';

import { type BlockHashes, wordsOf } from './block-hashes.js';
import { BlockTable, slotsWithin } from './block-table.js';
import { type Owner, NO_SET, type OwnerSet, OwnerSets } from './owner-sets.js';
import { OwnerDepths, type PrefixMatch } from './prefix-match.js';
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

/** Per slot: the id of its set, its links among the blocks of its set and among all blocks, and a place in a walk. */
const OTHER_SLOT_BYTES = 4 + 8 + 8 + 4;
/** The share of the memory that sets of owners may take. */
const SETS_SHARE = 1 / 8;
const LEAST_BYTES = 64 * 1024;

/**
 * Which KV-cache blocks lie on which server and rank. What it says is what the changes that it was told of add up to,
 * with one exception: when the memory that it may take is used up, it forgets the blocks that were stored or matched
 * longest ago, of one call the last one first, and then says less than is true, never more.
 *
 * A look-up is one walk over the prompt's hashes for all owners at once. While every rank that holds a block holds
 * those before it too, it takes time in proportion to the prompt, plus the number of owners, not their product.
 */
export class PrefixIndex {
  readonly #setsLimit: number;
  readonly #table: BlockTable;
  readonly #fixedBytes: number;
  /** All blocks, the one used longest ago first. */
  readonly #used: SlotList;
  readonly #sets: OwnerSets;
  readonly #servers = new Map<string, ServerOwners>();
  /** The id of each slot's set; NO_SET for a slot without a block. */
  readonly #setOf: Int32Array;
  /** The slots of the prompt at hand, in its order. */
  readonly #walked: Int32Array;
  #serials = 0;
  #evictions = 0;

  /**
   * Takes at most `maxBytes` of memory, at least 65,536; throws a RangeError for less. Most of it is set aside at once, in
   * pages that the system provides only as they are used.
   */
  constructor({ maxBytes }: { readonly maxBytes: number }) {
    if (!(maxBytes >= LEAST_BYTES)) throw new RangeError(`maxBytes must be at least ${String(LEAST_BYTES)}`);
    this.#setsLimit = maxBytes * SETS_SHARE;
    const slots = slotsWithin(maxBytes - this.#setsLimit, OTHER_SLOT_BYTES);
    this.#table = new BlockTable(slots);
    this.#used = new SlotList(new SlotLinks(slots));
    this.#sets = new OwnerSets(new SlotLinks(slots));
    this.#setOf = new Int32Array(slots);
    this.#walked = new Int32Array(slots);
    this.#fixedBytes = this.#table.bytes + OTHER_SLOT_BYTES * slots;
  }

  /**
   * Follows a change of a rank's cache. What a rank removed is no longer claimed for its server by `trackRouted` either.
   */
  apply(server: string, rank: number, { stored, removed }: BlockChange): void {
    const owners = this.#ownersOf(server);
    const owner = owners.rank(rank);
    const gone = wordsOf(removed);
    this.#store(owner, wordsOf(stored));
    this.#remove(owner, gone);
    if (owners.routed !== null) this.#remove(owners.routed, gone);
  }

  /**
   * Takes these blocks for all that the rank holds, in place of what was known of it, and of all that `trackRouted`
   * claimed for its server.
   */
  replace(server: string, rank: number, hashes: BlockHashes): void {
    this.drop(server, rank);
    const owners = this.#ownersOf(server);
    if (owners.routed !== null) this.#sets.forget(owners.routed);
    owners.routed = null;
    this.#store(owners.rank(rank), wordsOf(hashes));
  }

  /**
   * Claims blocks for a server, on a rank that is not known: those of a request that it has served. They hold until
   * the server's own reports say otherwise; without reports, until the server is dropped or the index is full.
   */
  trackRouted(server: string, hashes: BlockHashes): void {
    const owners = this.#ownersOf(server);
    owners.routed ??= owners.make(null);
    this.#store(owners.routed, wordsOf(hashes));
  }

  /** Claims blocks for a server until the prediction ends or the server is dropped: those of a request in flight there. */
  predict(server: string, hashes: BlockHashes): Prediction {
    const owners = this.#ownersOf(server);
    const owner = owners.make(null);
    owners.predictions.add(owner);
    this.#store(owner, wordsOf(hashes));
    return {
      end: () => {
        if (owners.predictions.delete(owner)) this.#sets.forget(owner);
      },
    };
  }

  /** Forgets what is known of one rank or, without a rank, of the server. Takes no time for each block. */
  drop(server: string, rank?: number): void {
    const owners = this.#servers.get(server);
    if (owners === undefined) return;
    if (rank === undefined) {
      for (const owner of owners.all()) this.#sets.forget(owner);
      owners.predictions.clear();
      this.#servers.delete(server);
      return;
    }
    const owner = owners.ranks.get(rank);
    if (owner === undefined) return;
    this.#sets.forget(owner);
    owners.ranks.delete(rank);
  }

  /** How many leading blocks of a prompt lie where; counts as a use of the blocks that lie anywhere. */
  match(hashes: BlockHashes): PrefixMatch {
    const words = wordsOf(hashes);
    const found = new OwnerDepths();
    let depth = 0;
    let slot = NO_SLOT;
    let known = NO_SET;
    let holders: readonly Owner[] = [];
    for (; 2 * depth < words.length; depth++) {
      slot = this.#findNear(slot, words[2 * depth] ?? 0, words[2 * depth + 1] ?? 0);
      if (slot === NO_SLOT) break;
      const id = this.#setOf[slot] ?? NO_SET;
      if (id !== known) {
        const { members } = this.#sets.at(id);
        holders = depth === 0 ? members : stillHolding(holders, members, depth, found);
        if (holders.length === 0) break;
        known = id;
      }
      // Chained hashes do not repeat, so a walk is never longer than this array; if they do, the rest is not noted.
      this.#walked[depth] = slot;
    }
    for (const owner of holders) found.add(owner, depth);
    this.#touchWalked(Math.min(depth, this.#walked.length));
    return found;
  }

  /** Sizes and totals at this moment. */
  stats(): PrefixIndexStats {
    let owners = 0;
    for (const { size } of this.#servers.values()) owners += size;
    return {
      blocks: this.#used.length - this.#sets.blocksHeldByNobody,
      owners,
      bytes: this.#fixedBytes + this.#sets.bytes,
      evictions: this.#evictions,
    };
  }

  #ownersOf(server: string): ServerOwners {
    let owners = this.#servers.get(server);
    if (owners === undefined) {
      owners = new ServerOwners(server, () => this.#serials++);
      this.#servers.set(server, owners);
    }
    return owners;
  }

  /** From the last block to the first, so that a chain loses its end first when blocks are forgotten. */
  #store(owner: Owner, words: Uint32Array): void {
    let slot = NO_SLOT;
    for (let at = words.length - 2; at >= 0; at -= 2) {
      const low = words[at] ?? 0;
      const high = words[at + 1] ?? 0;
      slot = this.#findNear(slot, low, high);
      if (slot === NO_SLOT) {
        slot = this.#add(low, high, owner);
        continue;
      }
      this.#used.moveToEnd(slot, slot);
      const set = this.#setAt(slot);
      if (!owner.sets.has(set)) this.#move(slot, set, this.#sets.with(set, owner));
    }
    this.#limitSets();
  }

  #add(low: number, high: number, owner: Owner): number {
    if (this.#sets.heldByNobody !== NO_SLOT || !this.#table.canAdd) this.#makeRoom();
    const slot = this.#table.add(low, high);
    this.#used.append(slot);
    const set = this.#sets.with(null, owner);
    set.blocks.append(slot);
    this.#setOf[slot] = set.id;
    return slot;
  }

  #remove(owner: Owner, words: Uint32Array): void {
    let slot = NO_SLOT;
    for (let at = 0; at < words.length; at += 2) {
      slot = this.#findNear(slot, words[at] ?? 0, words[at + 1] ?? 0);
      if (slot === NO_SLOT) continue;
      const set = this.#setAt(slot);
      if (!owner.sets.has(set)) continue;
      const rest = this.#sets.without(set, owner);
      if (rest === null) this.#vacate(slot);
      else this.#move(slot, set, rest);
    }
    this.#limitSets();
  }

  /** A removal can make one set into two, so it too may be too much. */
  #limitSets(): void {
    while (this.#sets.bytes > this.#setsLimit) this.#makeRoom();
  }

  #move(slot: number, from: OwnerSet, to: OwnerSet): void {
    from.blocks.remove(slot);
    to.blocks.append(slot);
    this.#setOf[slot] = to.id;
    if (from.blocks.length === 0) this.#sets.release(from);
  }

  /** Blocks that nobody holds go before any that somebody does. */
  #makeRoom(): void {
    const nobodys = this.#sets.heldByNobody;
    if (nobodys === NO_SLOT) this.#evictions++;
    this.#vacate(nobodys === NO_SLOT ? this.#used.first : nobodys);
  }

  #vacate(slot: number): void {
    const set = this.#setAt(slot);
    this.#table.remove(slot);
    this.#used.remove(slot);
    this.#setOf[slot] = NO_SET;
    set.blocks.remove(slot);
    if (set.blocks.length === 0) this.#sets.release(set);
  }

  /** The slot of a hash, which mostly lies beside the slot of its neighbour in the chain, having been stored with it. */
  #findNear(slot: number, low: number, high: number): number {
    if (slot > 0 && this.#isAt(slot - 1, low, high)) return slot - 1;
    if (slot !== NO_SLOT && this.#isAt(slot + 1, low, high)) return slot + 1;
    return this.#table.find(low, high);
  }

  #isAt(slot: number, low: number, high: number): boolean {
    return this.#table.isAt(slot, low, high) && (this.#setOf[slot] ?? NO_SET) !== NO_SET;
  }

  #setAt(slot: number): OwnerSet {
    return this.#sets.at(this.#setOf[slot] ?? NO_SET);
  }

  /** Makes the blocks walked over the latest used, the first of them last; whole runs that lie so already move at once. */
  #touchWalked(depth: number): void {
    const walked = this.#walked;
    for (let at = depth - 1; at >= 0; at--) {
      const from = walked[at] ?? NO_SLOT;
      let to = from;
      while (at > 0 && this.#used.after(to) === walked[at - 1]) to = walked[--at] ?? NO_SLOT;
      this.#used.moveToEnd(from, to);
    }
  }
}

/** The holders that are members too; of all others notes how deep they came. Both are in the order of serials. */
function stillHolding(
  holders: readonly Owner[],
  members: readonly Owner[],
  depth: number,
  found: OwnerDepths,
): readonly Owner[] {
  const still: Owner[] = [];
  let at = 0;
  for (const holder of holders) {
    while ((members[at]?.serial ?? Infinity) < holder.serial) at++;
    if (members[at] === holder) still.push(holder);
    else found.add(holder, depth);
  }
  return still;
}

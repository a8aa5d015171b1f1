import { NO_SLOT, SlotLinks, SlotList } from '@roost/slot-table';

import { BlockTable, slotsWithin } from './block-table.js';
import { NO_SET, Owner, type OwnerSet, OwnerSets } from './owner-sets.js';
import { type Level } from './prefix-match.js';

/** Per slot: the id of its set, its links among the blocks of its set and among all blocks, and a place in a walk. */
const OTHER_SLOT_BYTES = 4 + 8 + 8 + 4;
const LEAST_BYTES = 64 * 1024;

/** How much memory an index takes, and for what. */
export interface BlockIndexLimits {
  /** Bytes for everything; at least 65,536. */
  readonly maxBytes: number;
  /** The share of them, above 0 and below 1, that owners and sets of owners may take; the rest is for blocks. */
  readonly setsShare: number;
}

/**
 * Blocks by hash, and who holds each: what every index here is made of. Of each prompt it keeps the blocks and not the
 * order: a chained hash stands for all blocks up to its own. Hashes come as words, two for each (see `wordsOf`).
 *
 * When the memory that it may take is used up, it forgets the blocks that were stored or walked over longest ago, of one
 * call the last one first, and then says less than is true, never more.
 */
export class BlockIndex<Of> {
  readonly #setsLimit: number;
  readonly #table: BlockTable;
  readonly #fixedBytes: number;
  /** All blocks, the one used longest ago first. */
  readonly #used: SlotList;
  readonly #sets: OwnerSets<Of>;
  /** The id of each slot's set; NO_SET for a slot without a block. */
  readonly #setOf: Int32Array;
  /** The slots of the prompt at hand, in its order. */
  readonly #walked: Int32Array;
  #serials = 0;
  #evictions = 0;

  /**
   * Most of the memory is set aside at once, in pages that the system provides only as they are used. `onEmptied` is told
   * of each owner that has lost the last of its blocks. Throws a RangeError for less than the least memory.
   */
  constructor({ maxBytes, setsShare }: BlockIndexLimits, onEmptied: (owner: Owner<Of>) => void = () => undefined) {
    if (!(maxBytes >= LEAST_BYTES)) throw new RangeError(`maxBytes must be at least ${String(LEAST_BYTES)}`);
    this.#setsLimit = maxBytes * setsShare;
    const slots = slotsWithin(maxBytes - this.#setsLimit, OTHER_SLOT_BYTES);
    this.#table = new BlockTable(slots);
    this.#used = new SlotList(new SlotLinks(slots));
    this.#sets = new OwnerSets(new SlotLinks(slots), onEmptied);
    this.#setOf = new Int32Array(slots);
    this.#walked = new Int32Array(slots);
    this.#fixedBytes = this.#table.bytes + OTHER_SLOT_BYTES * slots;
  }

  /** Blocks that somebody holds, each once. */
  get blocks(): number {
    return this.#used.length - this.#sets.blocksHeldByNobody;
  }

  /** Memory taken, never more than `maxBytes`. */
  get bytes(): number {
    return this.#fixedBytes + this.#sets.bytes;
  }

  /** Blocks forgotten for want of room, since the start. */
  get evictions(): number {
    return this.#evictions;
  }

  /** A new owner, which holds nothing; on a seat of its own unless one is given. */
  makeOwner(of: Of, seat?: number): Owner<Of> {
    const serial = this.#serials++;
    return new Owner(serial, seat ?? serial, of);
  }

  /** Blocks that the owner holds from now on. From the last to the first, so that a chain loses its end first. */
  store(owner: Owner<Of>, words: Uint32Array): void {
    let slot = NO_SLOT;
    /** The set of the blocks just passed, which the owner is in; none once sets have changed, which frees their ids. */
    let known = NO_SET;
    for (let at = words.length - 2; at >= 0; at -= 2) {
      const low = words[at] ?? 0;
      const high = words[at + 1] ?? 0;
      slot = this.#findNear(slot, low, high);
      if (slot === NO_SLOT) {
        slot = this.#add(low, high, owner);
        known = NO_SET;
        continue;
      }
      this.#used.moveToEnd(slot);
      if (this.#setOf[slot] === known) continue;
      const set = this.#setAt(slot);
      const isHeld = owner.sets.has(set);
      if (!isHeld) this.#move(slot, set, this.#sets.with(set, owner));
      known = isHeld ? set.id : NO_SET;
    }
    this.#limitSets();
  }

  /** Blocks that the owner does not hold any longer. */
  remove(owner: Owner<Of>, words: Uint32Array): void {
    let slot = NO_SLOT;
    for (let at = 0; at < words.length; at += 2) {
      slot = this.#findAt(words, at / 2, slot);
      if (slot === NO_SLOT) continue;
      const set = this.#setAt(slot);
      if (!owner.sets.has(set)) continue;
      const rest = this.#sets.without(set, owner);
      if (rest === null) this.#vacate(slot);
      else this.#move(slot, set, rest);
    }
    this.#limitSets();
  }

  /** The owner holds nothing any longer. Takes no time for each block. */
  forget(owner: Owner<Of>): void {
    this.#sets.forget(owner);
  }

  /**
   * Who holds leading blocks of a prompt without a gap, in levels of ever more blocks and fewer owners; of each seat the
   * owner of the last block. Counts as a use of the blocks that anybody holds so.
   *
   * One walk over the prompt for all owners at once: while whoever holds a block holds those before it too, it takes
   * time in proportion to the prompt, not to the number of owners.
   */
  walk(words: Uint32Array): Level<Of>[] {
    const levels: Level<Of>[] = [];
    let depth = 0;
    let slot = NO_SLOT;
    let known = NO_SET;
    let holders: readonly Owner<Of>[] = [];
    while (2 * depth < words.length) {
      slot = this.#findAt(words, depth, slot);
      if (slot === NO_SLOT) break;
      const id = this.#setOf[slot] ?? NO_SET;
      if (id !== known) {
        const { members } = this.#sets.at(id);
        const still = depth === 0 ? members : onSeatsOf(holders, members);
        if (still.length < holders.length) levels.push({ blocks: depth, owners: holders });
        holders = still;
        if (holders.length === 0) break;
        known = id;
      }
      const run = this.#walkRun(words, depth, slot, id);
      depth += run;
      slot -= run - 1;
    }
    if (holders.length > 0) levels.push({ blocks: depth, owners: holders });
    this.#touchWalked(Math.min(depth, this.#walked.length));
    return levels;
  }

  /**
   * Notes a block and those after it that lie below it and have the same set, and tells how many: most of a prompt lies in
   * such runs, each of which is one loop without calls.
   */
  #walkRun(words: Uint32Array, depth: number, slot: number, id: number): number {
    const setOf = this.#setOf;
    // Chained hashes do not repeat, so a walk is never longer than this array; if they do, the rest is not noted.
    const walked = this.#walked;
    walked[depth] = slot;
    const most = 1 + this.#table.countBelow(slot, words, depth + 1);
    let run = 1;
    for (; run < most && setOf[slot - run] === id; run++) walked[depth + run] = slot - run;
    return run;
  }

  #add(low: number, high: number, owner: Owner<Of>): number {
    if (this.#sets.heldByNobody !== NO_SLOT || !this.#table.canAdd) this.#makeRoom();
    const slot = this.#table.add(low, high);
    this.#used.append(slot);
    const set = this.#sets.with(null, owner);
    set.blocks.append(slot);
    this.#setOf[slot] = set.id;
    return slot;
  }

  /** A removal can make one set into two, so it too may be too much. */
  #limitSets(): void {
    while (this.#sets.bytes > this.#setsLimit) this.#makeRoom();
  }

  #move(slot: number, from: OwnerSet<Of>, to: OwnerSet<Of>): void {
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

  /** The slot of hash number `at`. */
  #findAt(words: Uint32Array, at: number, near: number): number {
    return this.#findNear(near, words[2 * at] ?? 0, words[2 * at + 1] ?? 0);
  }

  #isAt(slot: number, low: number, high: number): boolean {
    return this.#table.isAt(slot, low, high) && (this.#setOf[slot] ?? NO_SET) !== NO_SET;
  }

  #setAt(slot: number): OwnerSet<Of> {
    return this.#sets.at(this.#setOf[slot] ?? NO_SET);
  }

  /** Makes the blocks walked over the latest used, the first of them last; whole runs that lie so already move at once. */
  #touchWalked(depth: number): void {
    const walked = this.#walked;
    for (let at = depth - 1; at >= 0; at--) {
      const from = walked[at] ?? NO_SLOT;
      at = this.#used.runFrom(walked, at);
      this.#used.moveToEnd(from, walked[at]);
    }
  }
}

/** The members on whose seats there is a holder. Both are in the order of seats. */
function onSeatsOf<Of>(holders: readonly Owner<Of>[], members: readonly Owner<Of>[]): readonly Owner<Of>[] {
  return members.filter(({ seat }) => hasSeat(holders, seat));
}

function hasSeat(owners: readonly Owner<unknown>[], seat: number): boolean {
  let [from, to] = [0, owners.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((owners[middle]?.seat ?? Infinity) < seat) from = middle + 1;
    else to = middle;
  }
  return owners[from]?.seat === seat;
}

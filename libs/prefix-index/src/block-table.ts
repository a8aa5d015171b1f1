import { NO_SLOT } from '@roost/slot-table';

/** Two words of hash a slot. */
const SLOT_BYTES = 8;
const CELL_BYTES = 4;
const FEWEST_CELLS = 128;
/** A cell is empty (0) or has a slot plus one in its low bits and eight bits of the hash, its tag, above. */
const SLOT_BITS = 24;
const SLOT_MASK = (1 << SLOT_BITS) - 1;

/** The most slots that a table can have. */
const MOST_SLOTS = SLOT_MASK - 1;

/**
 * How many slots fit in a number of bytes, when each slot needs `otherBytes` beside what a table takes. At most half of
 * the cells are taken.
 */
export function slotsWithin(bytes: number, otherBytes: number): number {
  let most = 0;
  for (let cells = FEWEST_CELLS; cells * CELL_BYTES < bytes; cells *= 2) {
    const slots = Math.floor((bytes - cells * CELL_BYTES) / (SLOT_BYTES + otherBytes));
    most = Math.max(most, Math.min(slots, cells / 2));
  }
  return Math.min(most, MOST_SLOTS);
}

/**
 * Numbers block hashes with slots 0, 1, 2, ... An open-addressed table beside the hashes themselves: 16 to 24 bytes a
 * slot, nothing for the garbage collector to walk, and nothing that ever has to grow or be rebuilt.
 */
export class BlockTable {
  readonly #hashes: Uint32Array;
  readonly #cells: Int32Array;
  readonly #limit: number;
  #nextSlot = 0;
  #freeSlot = NO_SLOT;

  /** With `limit` slots. */
  constructor(limit: number) {
    this.#limit = limit;
    this.#hashes = new Uint32Array(2 * limit);
    this.#cells = new Int32Array(Math.max(FEWEST_CELLS, 2 ** Math.ceil(Math.log2(2 * limit))));
  }

  /** Memory taken. */
  get bytes(): number {
    return this.#hashes.byteLength + this.#cells.byteLength;
  }

  /** Whether `add` needs no slot to be removed first. */
  get canAdd(): boolean {
    return this.#freeSlot !== NO_SLOT || this.#nextSlot < this.#limit;
  }

  /** Whether a slot that is in use is this hash's; for any other slot it says nothing. */
  isAt(slot: number, low: number, high: number): boolean {
    return this.#hashes[2 * slot] === low && this.#hashes[2 * slot + 1] === high;
  }

  /**
   * How many of the hashes of `words` from number `at` on are those of the slots below this one, each in the next lower:
   * so lie the blocks that were stored together. For slots that are not in use it says nothing.
   */
  countBelow(slot: number, words: Uint32Array, at: number): number {
    const hashes = this.#hashes;
    const most = Math.min(slot, words.length / 2 - at);
    let count = 0;
    for (; count < most; count++) {
      const own = 2 * (slot - count - 1);
      const asked = 2 * (at + count);
      if (hashes[own] !== words[asked] || hashes[own + 1] !== words[asked + 1]) break;
    }
    return count;
  }

  /** The slot of a hash, or NO_SLOT. */
  find(low: number, high: number): number {
    const cells = this.#cells;
    const mask = cells.length - 1;
    const tag = tagOf(high);
    for (let at = homeOf(low, high) & mask; ; at = (at + 1) & mask) {
      const cell = cells[at] ?? 0;
      if (cell === 0) return NO_SLOT;
      if ((cell & ~SLOT_MASK) !== tag) continue;
      const slot = (cell & SLOT_MASK) - 1;
      if (this.isAt(slot, low, high)) return slot;
    }
  }

  /** Gives a slot to a hash that has none, where `canAdd`. */
  add(low: number, high: number): number {
    const slot = this.#claim();
    this.#hashes[2 * slot] = low;
    this.#hashes[2 * slot + 1] = high;
    const cells = this.#cells;
    const mask = cells.length - 1;
    let at = homeOf(low, high) & mask;
    while (cells[at] !== 0) at = (at + 1) & mask;
    cells[at] = tagOf(high) | (slot + 1);
    return slot;
  }

  /** Takes the slot from its hash. */
  remove(slot: number): void {
    const cells = this.#cells;
    const mask = cells.length - 1;
    let hole = this.#homeOfSlot(slot) & mask;
    while (((cells[hole] ?? 0) & SLOT_MASK) !== slot + 1) hole = (hole + 1) & mask;
    // Whatever a look-up would reach only across the hole moves into it, which leaves another hole.
    for (let at = (hole + 1) & mask; cells[at] !== 0; at = (at + 1) & mask) {
      const cell = cells[at] ?? 0;
      const home = this.#homeOfSlot((cell & SLOT_MASK) - 1);
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      cells[hole] = cell;
      hole = at;
    }
    cells[hole] = 0;
    this.#hashes[2 * slot] = this.#freeSlot;
    this.#freeSlot = slot;
  }

  #claim(): number {
    if (this.#freeSlot !== NO_SLOT) {
      const slot = this.#freeSlot;
      // The list of free slots runs through the words that they have no hash in.
      this.#freeSlot = (this.#hashes[2 * slot] ?? 0) | 0;
      return slot;
    }
    return this.#nextSlot++;
  }

  #homeOfSlot(slot: number): number {
    return homeOf(this.#hashes[2 * slot] ?? 0, this.#hashes[2 * slot + 1] ?? 0);
  }
}

/** Mixed, because the low bits alone are what somebody who makes prompts to collide would aim at. */
function homeOf(low: number, high: number): number {
  const mixed = Math.imul(low ^ (high >>> 9), 0x9e3779b1) ^ high;
  return mixed ^ (mixed >>> 15);
}

function tagOf(high: number): number {
  return (high << SLOT_BITS) & ~SLOT_MASK;
}

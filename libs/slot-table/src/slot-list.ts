/** No slot: the end of a list. */
export const NO_SLOT = -1;

const FEWEST_SLOTS = 64;

/**
 * The links of slots 0, 1, 2, ... to their neighbours, eight bytes a slot. Any number of lists may share one object as
 * long as no slot is in two of them.
 */
export class SlotLinks {
  /** The slots after and before slot `s` at `2 * s` and `2 * s + 1`: side by side, as they are read together. */
  pairs: Int32Array;

  /** With room for this many slots. */
  constructor(slots = 0) {
    this.pairs = new Int32Array(2 * slots);
  }

  /** Number of slots that there is room for. */
  get room(): number {
    return this.pairs.length / 2;
  }

  /** Makes room for `size` slots, at least doubling it, but never for more than `limit` slots. */
  reserve(size: number, limit: number): void {
    if (size <= this.room) return;
    const grown = new Int32Array(2 * Math.min(Math.max(size, 2 * this.room, FEWEST_SLOTS), limit));
    grown.set(this.pairs);
    this.pairs = grown;
  }
}

/** A list of slots in the order in which they were appended; every operation takes constant time and allocates nothing. */
export class SlotList {
  first = NO_SLOT;
  length = 0;
  #last = NO_SLOT;

  constructor(private readonly links: SlotLinks) {}

  /** Puts a slot that is in no list of these links at the end. */
  append(slot: number): void {
    this.#put(slot, slot);
    this.length++;
  }

  /** Takes out a slot that is in this list. */
  remove(slot: number): void {
    this.#cut(slot, slot);
    this.length--;
  }

  /** Moves a slot of this list, or a run of neighbours from one to the other, to the end. */
  moveToEnd(from: number, to = from): void {
    if (to === this.#last) return;
    this.#cut(from, to);
    this.#put(from, to);
  }

  /** The slot after this one, or NO_SLOT. */
  after(slot: number): number {
    return this.links.pairs[2 * slot] ?? NO_SLOT;
  }

  /**
   * The lowest number from which on to number `at` each of the slots comes right after the one with the next number in
   * the list, so that they can move together.
   */
  runFrom(slots: Int32Array, at: number): number {
    const { pairs } = this.links;
    let first = at;
    while (first > 0 && pairs[2 * (slots[first] ?? 0)] === slots[first - 1]) first--;
    return first;
  }

  #put(from: number, to: number): void {
    const { pairs } = this.links;
    pairs[2 * to] = NO_SLOT;
    pairs[2 * from + 1] = this.#last;
    if (this.#last === NO_SLOT) this.first = from;
    else pairs[2 * this.#last] = from;
    this.#last = to;
  }

  #cut(from: number, to: number): void {
    const { pairs } = this.links;
    const after = pairs[2 * to] ?? NO_SLOT;
    const before = pairs[2 * from + 1] ?? NO_SLOT;
    if (before === NO_SLOT) this.first = after;
    else pairs[2 * before] = after;
    if (after === NO_SLOT) this.#last = before;
    else pairs[2 * after + 1] = before;
  }
}

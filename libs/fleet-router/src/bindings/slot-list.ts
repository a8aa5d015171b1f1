/** No slot: the end of a list. */
export const NO_SLOT = -1;

/**
 * The links of slots 0, 1, 2, ... to their neighbours, eight bytes a slot. Any number of lists may share one object as
 * long as no slot is in two of them.
 */
export class SlotLinks {
  /** The slots after and before slot `s` at `2 * s` and `2 * s + 1`: side by side, as they are read together. */
  pairs = new Int32Array(0);

  /** Makes room for slots below `size`, at least doubling, but never for more than `limit` slots. */
  reserve(size: number, limit: number): void {
    if (2 * size <= this.pairs.length) return;
    const room = Math.min(Math.max(size, this.pairs.length, 64), limit);
    const grown = new Int32Array(2 * room);
    grown.set(this.pairs);
    this.pairs = grown;
  }
}

/** A list of slots, oldest first; every operation takes constant time and allocates nothing. */
export class SlotList {
  first = NO_SLOT;
  length = 0;
  #last = NO_SLOT;

  constructor(private readonly links: SlotLinks) {}

  /** Puts a slot that is in no list of these links at the end. */
  append(slot: number): void {
    const { pairs } = this.links;
    pairs[2 * slot] = NO_SLOT;
    pairs[2 * slot + 1] = this.#last;
    if (this.#last === NO_SLOT) this.first = slot;
    else pairs[2 * this.#last] = slot;
    this.#last = slot;
    this.length++;
  }

  /** Takes out a slot that is in this list. */
  remove(slot: number): void {
    const { pairs } = this.links;
    const after = pairs[2 * slot] ?? NO_SLOT;
    const before = pairs[2 * slot + 1] ?? NO_SLOT;
    if (before === NO_SLOT) this.first = after;
    else pairs[2 * before] = after;
    if (after === NO_SLOT) this.#last = before;
    else pairs[2 * after + 1] = before;
    this.length--;
  }

  /** Moves a slot of this list to the end. */
  moveToEnd(slot: number): void {
    if (slot === this.#last) return;
    this.remove(slot);
    this.append(slot);
  }

  /** The slot after this one, or NO_SLOT. */
  after(slot: number): number {
    return this.links.pairs[2 * slot] ?? NO_SLOT;
  }
}

/** No slot: the end of a list. */
export const NO_SLOT = -1;

/** The links of slots 0, 1, 2, ... of any number of lists, as long as no slot is in two of them. Eight bytes a slot. */
export class SlotLinks {
  /** The slots after and before slot `s`, at `2 * s` and `2 * s + 1`. */
  readonly pairs: Int32Array;

  constructor(slots: number) {
    this.pairs = new Int32Array(2 * slots);
  }
}

/** A list of slots; every operation takes constant time and allocates nothing. */
export class SlotList {
  first = NO_SLOT;
  last = NO_SLOT;
  length = 0;

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

  /** Moves neighbours of this list, from `from` to `to`, to the end. */
  moveToEnd(from: number, to: number): void {
    if (to === this.last) return;
    this.#cut(from, to);
    this.#put(from, to);
  }

  /** The slot after this one, or NO_SLOT. */
  after(slot: number): number {
    return this.links.pairs[2 * slot] ?? NO_SLOT;
  }

  #put(from: number, to: number): void {
    const { pairs } = this.links;
    pairs[2 * to] = NO_SLOT;
    pairs[2 * from + 1] = this.last;
    if (this.last === NO_SLOT) this.first = from;
    else pairs[2 * this.last] = from;
    this.last = to;
  }

  #cut(from: number, to: number): void {
    const { pairs } = this.links;
    const after = pairs[2 * to] ?? NO_SLOT;
    const before = pairs[2 * from + 1] ?? NO_SLOT;
    if (before === NO_SLOT) this.first = after;
    else pairs[2 * before] = after;
    if (after === NO_SLOT) this.last = before;
    else pairs[2 * after + 1] = before;
  }
}

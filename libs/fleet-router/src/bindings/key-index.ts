/** A cell is two numbers: a key's hash, and its slot plus one, so that zero there says empty. */
const CELL = 2;
const FIRST_CELLS = 64;

/**
 * Exact map from keys to small numbers, each of which names one key. Eight bytes a cell, at most half of them taken; a
 * look-up reads no key but the one that it finds, and nothing ever has to be rebuilt because keys went.
 */
export class KeyIndex {
  #cells = new Int32Array(CELL * FIRST_CELLS);
  #size = 0;

  /** `hash` gives 32 bits that are always the same for a key; `keyOf` the key that a slot was added for. */
  constructor(
    private readonly hash: (key: string) => number,
    private readonly keyOf: (slot: number) => string,
  ) {}

  /** The slot of the key, or undefined. */
  find(key: string): number | undefined {
    const cells = this.#cells;
    const hash = this.hash(key);
    for (let at = this.#home(hash); ; at = this.#after(at)) {
      const slot = (cells[at + 1] ?? 0) - 1;
      if (slot < 0) return undefined;
      if (cells[at] === hash && this.keyOf(slot) === key) return slot;
    }
  }

  /** Adds a slot for a key that has none. */
  add(key: string, slot: number): void {
    if (2 * CELL * (this.#size + 1) > this.#cells.length) this.#grow();
    this.#put(this.hash(key), slot);
    this.#size++;
  }

  /** Takes out a slot that is in the index, as long as `keyOf` still knows it. */
  remove(slot: number): void {
    const cells = this.#cells;
    let hole = this.#home(this.hash(this.keyOf(slot)));
    while (cells[hole + 1] !== slot + 1) hole = this.#after(hole);
    // Whatever a look-up would reach only across the hole moves into it, which leaves another hole.
    for (let at = this.#after(hole); cells[at + 1] !== 0; at = this.#after(at)) {
      if (this.#distance(this.#home(cells[at] ?? 0), at) < this.#distance(hole, at)) continue;
      cells[hole] = cells[at] ?? 0;
      cells[hole + 1] = cells[at + 1] ?? 0;
      hole = at;
    }
    cells[hole + 1] = 0;
    this.#size--;
  }

  #put(hash: number, slot: number): void {
    let at = this.#home(hash);
    while (this.#cells[at + 1] !== 0) at = this.#after(at);
    this.#cells[at] = hash;
    this.#cells[at + 1] = slot + 1;
  }

  #grow(): void {
    const old = this.#cells;
    this.#cells = new Int32Array(2 * old.length);
    for (let at = 0; at < old.length; at += CELL) {
      const slot = (old[at + 1] ?? 0) - 1;
      if (slot >= 0) this.#put(old[at] ?? 0, slot);
    }
  }

  #home(hash: number): number {
    return (hash * CELL) & (this.#cells.length - 1);
  }

  #after(at: number): number {
    return (at + CELL) & (this.#cells.length - 1);
  }

  #distance(from: number, to: number): number {
    return (to - from) & (this.#cells.length - 1);
  }
}

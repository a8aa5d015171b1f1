import { makeKeyHash } from './key-hash.js';

/** A cell is two numbers: a key's hash, and its slot plus one, so that zero there says empty. */
const CELL = 2;
const FIRST_CELLS = 64;

/**
 * Exact map from keys to slots, small numbers that the caller gives out, each to one key at a time. At most half of the
 * cells of eight bytes are taken; a look-up reads no key but the one that it finds, and nothing ever has to be rebuilt
 * because keys went. A Map would take twice the memory and, at a million keys, three times the cache misses.
 */
export class KeyIndex {
  readonly #hash: (key: string) => number;
  readonly #keys: string[] = [];
  /** The hash of each slot's key: to take a key out, its characters need not be read. */
  #hashes = new Int32Array(FIRST_CELLS);
  /** The key hashed last: who does not find one mostly adds it next. */
  #latest = '';
  #latestHash: number;
  #cells = new Int32Array(CELL * FIRST_CELLS);
  #size = 0;

  /** `hash` gives 32 bits that are always the same for a key; by default none that can be foreseen from outside. */
  constructor(hash = makeKeyHash()) {
    this.#hash = hash;
    this.#latestHash = hash('');
  }

  /** Number of keys. */
  get size(): number {
    return this.#size;
  }

  /** The key of a slot; empty for a slot that has none. */
  keyAt(slot: number): string {
    return this.#keys[slot] ?? '';
  }

  /** The slot of the key, or undefined. */
  find(key: string): number | undefined {
    const cells = this.#cells;
    const hash = this.#hashOf(key);
    for (let at = this.#home(hash); ; at = this.#after(at)) {
      const slot = (cells[at + 1] ?? 0) - 1;
      if (slot < 0) return undefined;
      if (cells[at] === hash && this.#keys[slot] === key) return slot;
    }
  }

  /** Adds a key that is not there, with a slot that has none, and keeps that very string: see `ownCopy`. */
  add(key: string, slot: number): void {
    if (2 * CELL * (this.#size + 1) > this.#cells.length) this.#grow();
    this.#keys[slot] = key;
    const hash = this.#hashOf(key);
    if (slot >= this.#hashes.length) this.#reserve(slot + 1);
    this.#hashes[slot] = hash;
    this.#put(hash, slot);
    this.#size++;
  }

  /** Takes out the key of a slot that has one. */
  remove(slot: number): void {
    const cells = this.#cells;
    let hole = this.#home(this.#hashes[slot] ?? 0);
    while (cells[hole + 1] !== slot + 1) hole = this.#after(hole);
    // Whatever a look-up would reach only across the hole moves into it, which leaves another hole.
    for (let at = this.#after(hole); cells[at + 1] !== 0; at = this.#after(at)) {
      if (this.#distance(this.#home(cells[at] ?? 0), at) < this.#distance(hole, at)) continue;
      cells[hole] = cells[at] ?? 0;
      cells[hole + 1] = cells[at + 1] ?? 0;
      hole = at;
    }
    cells[hole + 1] = 0;
    this.#keys[slot] = '';
    this.#size--;
  }

  #hashOf(key: string): number {
    if (key === this.#latest) return this.#latestHash;
    this.#latest = key;
    this.#latestHash = this.#hash(key);
    return this.#latestHash;
  }

  #reserve(slots: number): void {
    const grown = new Int32Array(Math.max(slots, 2 * this.#hashes.length));
    grown.set(this.#hashes);
    this.#hashes = grown;
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

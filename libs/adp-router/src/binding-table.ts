import { KeyIndex } from './key-index.js';

const NONE = -1;
const FIRST_CAPACITY = 16;

// What is kept of a binding, side by side, so that one cache line has it all.
const RANK = 0;
const OLDER = 1;
const NEWER = 2;
const RECORD = 4;

/** The most bindings that a table can hold. */
export const MAX_BINDINGS = 2 ** 26;

/** Where a binding lies in its table. Valid until the next `bind`. */
export type BindingSlot = number;

/**
 * Bindings of routing keys to ranks, at most so many: one more evicts the least recently used. Takes about 40 bytes a
 * binding beside the key itself.
 */
export class BindingTable {
  private readonly index = new KeyIndex();
  private records = new Int32Array(FIRST_CAPACITY * RECORD);
  private oldest: BindingSlot = NONE;
  private newest: BindingSlot = NONE;
  private evicted = 0;

  /**
   * @param maxBindings how many the table keeps
   * @throws RangeError when that is not a whole number from 1 to MAX_BINDINGS
   */
  constructor(private readonly maxBindings: number) {
    if (!Number.isInteger(maxBindings) || maxBindings < 1 || maxBindings > MAX_BINDINGS) {
      throw new RangeError(`a binding table holds 1 to ${String(MAX_BINDINGS)} bindings, not ${String(maxBindings)}`);
    }
  }

  get size(): number {
    return this.index.size;
  }

  /** Bindings that have made room for others, since the start. */
  get evictions(): number {
    return this.evicted;
  }

  /** The slot of a key's binding, or undefined. Not a use of it. */
  find(key: string): BindingSlot | undefined {
    return this.index.find(key);
  }

  /** The rank that the binding in a slot leads to. */
  rankAt(slot: BindingSlot): number {
    return this.get(slot, RANK);
  }

  /** Makes the binding in a slot the most recently used one. */
  touch(slot: BindingSlot): void {
    if (slot === this.newest) return;
    this.unlink(slot);
    this.linkNewest(slot);
  }

  /** Binds a key, as its most recent use, whether or not it was bound before. */
  bind(key: string, rank: number): void {
    let slot = this.index.find(key);
    if (slot === undefined) {
      slot = this.freeSlot();
      this.index.add(key, slot);
      this.linkNewest(slot);
    } else {
      this.touch(slot);
    }
    this.set(slot, RANK, rank);
  }

  /** Every bound key with its rank, the least recently used first. */
  *entries(): Generator<[key: string, rank: number]> {
    for (let slot = this.oldest; slot !== NONE; slot = this.get(slot, NEWER)) {
      yield [this.index.keyAt(slot), this.rankAt(slot)];
    }
  }

  private freeSlot(): BindingSlot {
    if (this.size >= this.maxBindings) {
      const slot = this.oldest;
      this.unlink(slot);
      this.index.remove(slot);
      this.evicted += 1;
      return slot;
    }
    const slot = this.size;
    if (slot * RECORD === this.records.length) {
      const grown = new Int32Array(this.records.length * 2);
      grown.set(this.records);
      this.records = grown;
    }
    return slot;
  }

  private linkNewest(slot: BindingSlot): void {
    this.set(slot, OLDER, this.newest);
    this.set(slot, NEWER, NONE);
    if (this.newest === NONE) this.oldest = slot;
    else this.set(this.newest, NEWER, slot);
    this.newest = slot;
  }

  private unlink(slot: BindingSlot): void {
    const older = this.get(slot, OLDER);
    const newer = this.get(slot, NEWER);
    if (older === NONE) this.oldest = newer;
    else this.set(older, NEWER, newer);
    if (newer === NONE) this.newest = older;
    else this.set(newer, OLDER, older);
  }

  private get(slot: BindingSlot, field: number): number {
    return this.records[slot * RECORD + field] ?? NONE;
  }

  private set(slot: BindingSlot, field: number, value: number): void {
    this.records[slot * RECORD + field] = value;
  }
}

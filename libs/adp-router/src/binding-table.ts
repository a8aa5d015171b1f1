import { KeyIndex, NO_SLOT, SlotLinks, SlotList } from '@roost/slot-table';

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
  private readonly links = new SlotLinks();
  /** All bindings, the least recently used first. */
  private readonly used = new SlotList(this.links);
  private ranks = new Int32Array(0);
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

  /** Bindings held. */
  get size(): number {
    return this.used.length;
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
    return this.ranks[slot] ?? NO_SLOT;
  }

  /** Makes the binding in a slot the most recently used one. */
  touch(slot: BindingSlot): void {
    this.used.moveToEnd(slot);
  }

  /** Binds a key, as its most recent use, whether or not it was bound before. */
  bind(key: string, rank: number): void {
    let slot = this.index.find(key);
    if (slot === undefined) {
      slot = this.freeSlot();
      this.index.add(key, slot);
      this.used.append(slot);
    } else {
      this.touch(slot);
    }
    this.ranks[slot] = rank;
  }

  /** Every bound key with its rank, the least recently used first. */
  *entries(): Generator<[key: string, rank: number]> {
    for (let slot = this.used.first; slot !== NO_SLOT; slot = this.used.after(slot)) {
      yield [this.index.keyAt(slot), this.rankAt(slot)];
    }
  }

  private freeSlot(): BindingSlot {
    if (this.size === this.maxBindings) return this.evict();
    const slot = this.size;
    this.links.reserve(slot + 1, this.maxBindings);
    if (this.ranks.length < this.links.room) {
      const grown = new Int32Array(this.links.room);
      grown.set(this.ranks);
      this.ranks = grown;
    }
    return slot;
  }

  private evict(): BindingSlot {
    const slot = this.used.first;
    this.used.remove(slot);
    this.index.remove(slot);
    this.evicted += 1;
    return slot;
  }
}

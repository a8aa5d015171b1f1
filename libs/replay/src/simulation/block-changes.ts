import type { BlockEvent } from '@roost/block-cache';
import type { BlockChange } from '@roost/prefix-index';

/** Sums up what has happened to the blocks of one cache since it was last asked. */
export class BlockChanges {
  readonly #stored = new Set<bigint>();
  readonly #removed = new Set<bigint>();

  add({ type, hash }: BlockEvent): void {
    const [from, to] = type === 'stored' ? [this.#removed, this.#stored] : [this.#stored, this.#removed];
    // A block that came and went, or went and came back, has not changed.
    if (!from.delete(hash)) to.add(hash);
  }

  /** The sum, after which a new one begins; null when nothing has changed. */
  take(): BlockChange | null {
    if (this.#stored.size + this.#removed.size === 0) return null;
    const change = { stored: [...this.#stored], removed: [...this.#removed] };
    this.#stored.clear();
    this.#removed.clear();
    return change;
  }
}

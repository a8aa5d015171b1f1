import type { KvCacheEvent } from '@roost/engine';

/** What a reader is told next of one rank. */
export interface KvEventMessage {
  readonly rank: number;
  /** From 1, without a gap. */
  readonly sequence: bigint;
  /** Whether `stored` is all that the rank holds. */
  readonly snapshot: boolean;
  readonly stored: readonly bigint[];
  readonly removed: readonly bigint[];
}

/** What has changed on one rank since its reader was last told. */
interface Unread {
  sequence: bigint;
  /** The last change of each block. Null: too many; the whole is told anew. */
  changes: Map<bigint, 'stored' | 'removed'> | null;
}

/**
 * What one reader has not been told yet. Changes of a block that cancel out are told as the last of them, and past a bound
 * they are forgotten in favour of a snapshot, so that a reader that is slow costs no more than that bound.
 */
export class KvEventReader {
  private readonly ranks: Unread[];
  private wake: () => void = () => undefined;

  /**
   * @param maxUnread changes kept for one rank, at least 1
   * @param snapshotOf what a rank holds at this moment
   */
  constructor(
    numRanks: number,
    private readonly maxUnread: number,
    private readonly snapshotOf: (rank: number) => readonly bigint[],
  ) {
    this.ranks = Array.from({ length: numRanks }, () => ({ sequence: 0n, changes: null }));
  }

  /** Takes note of a change. */
  note({ rank, type, hash }: KvCacheEvent): void {
    const unread = this.ranks[rank];
    if (unread?.changes === null || unread === undefined) return;
    unread.changes.set(hash, type);
    if (unread.changes.size > this.maxUnread) unread.changes = null;
    this.wake();
  }

  /** All messages that are due, one a rank at the most; what they tell counts as told. */
  take(): KvEventMessage[] {
    const messages: KvEventMessage[] = [];
    for (const [rank, unread] of this.ranks.entries()) {
      const { changes } = unread;
      if (changes?.size === 0) continue;
      unread.changes = new Map();
      unread.sequence += 1n;
      const told = changes === null ? { snapshot: true, stored: this.snapshotOf(rank), removed: [] } : netOf(changes);
      messages.push({ rank, sequence: unread.sequence, ...told });
    }
    return messages;
  }

  /** Messages as they become due, until the signal aborts. */
  async *messages(signal: AbortSignal): AsyncGenerator<KvEventMessage, void, undefined> {
    while (!signal.aborted) {
      yield* this.take();
      await this.somethingUnread(signal);
    }
  }

  private somethingUnread(signal: AbortSignal): Promise<void> {
    const isDue = signal.aborted || this.ranks.some(({ changes }) => changes === null || changes.size > 0);
    if (isDue) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        this.wake = (): void => undefined;
        // The rest of an iteration's changes come in the same turn: tell them together.
        setImmediate(resolve);
      };
      this.wake = done;
      signal.addEventListener('abort', done, { once: true });
    });
  }
}

function netOf(changes: ReadonlyMap<bigint, 'stored' | 'removed'>): Omit<KvEventMessage, 'rank' | 'sequence'> {
  const stored: bigint[] = [];
  const removed: bigint[] = [];
  for (const [hash, type] of changes) (type === 'stored' ? stored : removed).push(hash);
  return { snapshot: false, stored, removed };
}

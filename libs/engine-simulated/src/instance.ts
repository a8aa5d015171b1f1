import type { BlockCache } from '@roost/block-cache';
import type { KvCacheEvent, RankState } from '@roost/engine';

import type { Clock } from './clock.js';
import { type Progress, Rank } from './core/rank.js';
import type { Sample, Sequence } from './core/sequence.js';
import { EngineLoop } from './engine-loop.js';
import type { SimulatedEngineOptions } from './options.js';

/** Who wants to know what becomes of a sequence. */
export interface SequenceWatcher {
  /** It got its room. */
  admitted?(): void;
  /** It has sampled. */
  progressed?(progress: Progress): void;
  /** It was removed while it was decoding. */
  removed?(): void;
}

/** How a sequence goes on. */
export interface Continuation {
  readonly generated: readonly number[];
  readonly sample: Sample;
  readonly maxTokens: number;
}

/** All ranks of an engine, and the loop that they step in. Whoever changes a rank does it here, so that the loop and those who listen to it know. */
export class Instance {
  private readonly ranks: readonly Rank[];
  private readonly loop: EngineLoop;
  private readonly watchers = new Map<Sequence, SequenceWatcher>();
  private readonly listeners = new Set<() => void>();
  private readonly kvListeners = new Set<(event: KvCacheEvent) => void>();

  /** @param onCrash told when iterations cannot go on */
  constructor(options: SimulatedEngineOptions, clock: Clock, onCrash: (error: unknown) => void) {
    const capacityBlocks = Math.floor(options.capacityTokens / options.tokensPerBlock);
    this.ranks = Array.from(
      { length: options.numRanks },
      (_, rank) =>
        new Rank({
          ...options,
          capacityBlocks,
          onBlockEvent: ({ type, hash }) => {
            for (const listener of this.kvListeners) listener({ rank, type, hash });
          },
        }),
    );
    this.loop = new EngineLoop(this.ranks, options, clock, {
      admitted: (sequences) => {
        for (const sequence of sequences) {
          this.watchers.get(sequence)?.admitted?.();
        }
      },
      iterated: (progress) => {
        for (const each of progress) this.tellProgress(each);
        this.tellListeners();
      },
      crashed: onCrash,
    });
  }

  get states(): readonly RankState[] {
    return this.ranks.map((rank, index) => {
      const { active, activeTokens, pendingTokens, held, blocks } = rank.counts;
      return {
        rank: index,
        numActiveRequests: active,
        numActiveTokens: activeTokens,
        kvBlocksTotal: blocks.total,
        kvBlocksPinned: blocks.pinned,
        kvBlocksCached: blocks.cached,
        numPendingPrefillTokens: pendingTokens,
        numHeldHandoffs: held,
      };
    });
  }

  /** Calls back at the end of every iteration and whenever a sequence leaves a rank or stops being active there. */
  onIteration(listener: () => void): () => void {
    // Wrapped, so that one function may listen twice.
    const entry = (): void => {
      listener();
    };
    this.listeners.add(entry);
    return () => this.listeners.delete(entry);
  }

  /** Calls back with every block that becomes reusable or ceases to be. */
  onKvEvent(listener: (event: KvCacheEvent) => void): () => void {
    const entry = (event: KvCacheEvent): void => {
      listener(event);
    };
    this.kvListeners.add(entry);
    return () => this.kvListeners.delete(entry);
  }

  /** The prefix cache of a rank. */
  cacheOf(rank: number): BlockCache {
    return this.rankAt(rank).cache;
  }

  /** Whether a sequence of so many tokens fits into an empty rank. */
  canEverFit(tokens: number): boolean {
    return this.ranks[0]?.cache.canEverFit(tokens) ?? false;
  }

  submit(rank: number, sequence: Sequence, watcher: SequenceWatcher): void {
    this.rankAt(rank).submit(sequence);
    this.watchers.set(sequence, watcher);
    this.loop.wake();
  }

  completeImport(rank: number, sequence: Sequence): void {
    this.watchers.delete(sequence);
    this.rankAt(rank).completeImport(sequence);
    this.loop.wake();
    this.tellListeners();
  }

  /** @throws Error when the sequence is not held, or has no room for so long an answer */
  decode(
    rank: number,
    sequence: Sequence,
    { generated, sample, maxTokens }: Continuation,
    watcher: SequenceWatcher,
  ): void {
    if (sequence.phase !== 'held') {
      throw new Error(`a handle that is ${sequence.phase} cannot be decoded from`);
    }
    this.rankAt(rank).decode(sequence, generated, sample, maxTokens);
    this.watchers.set(sequence, watcher);
    this.loop.wake();
  }

  /** Ends the decoding that a watcher watches, if it goes on still; the sequence is held. */
  pause(rank: number, sequence: Sequence, watcher: SequenceWatcher): void {
    if (this.watchers.get(sequence) !== watcher) return;
    this.watchers.delete(sequence);
    this.rankAt(rank).pause(sequence);
    this.loop.wake();
    this.tellListeners();
  }

  /** Frees all that a sequence has. Idempotent. */
  remove(rank: number, sequence: Sequence): void {
    if (sequence.phase === 'gone') return;
    const watcher = this.watchers.get(sequence);
    this.watchers.delete(sequence);
    this.rankAt(rank).remove(sequence);
    watcher?.removed?.();
    this.loop.wake();
    this.tellListeners();
  }

  /** Frees everything on every rank. */
  clear(): void {
    this.ranks.forEach((rank, index) => {
      for (const sequence of rank.sequences) this.remove(index, sequence);
    });
  }

  private tellProgress(progress: Progress): void {
    const watcher = this.watchers.get(progress.sequence);
    if (progress.done) this.watchers.delete(progress.sequence);
    watcher?.progressed?.(progress);
  }

  private tellListeners(): void {
    for (const listener of [...this.listeners]) listener();
  }

  private rankAt(index: number): Rank {
    const rank = this.ranks[index];
    if (rank === undefined) {
      throw new RangeError(`rank must be in range [0, ${String(this.ranks.length)}), got ${String(index)}`);
    }
    return rank;
  }
}

import type { KvCacheEvent, RankState } from '@roost/engine';

import type { StateFiles } from './kv/state-files.js';
import { measureState, type StateSize } from './kv/state-size.js';
import type { OpenModel } from './model/open-model.js';
import type { LlamaCppEngineOptions } from './options.js';
import { Rank } from './rank/rank.js';
import type { LlamaContext } from './runtime/node-llama-cpp.js';

/** All ranks of an engine, and who listens to them. */
export class Ranks {
  private readonly listeners = new Set<() => void>();
  private readonly kvListeners = new Set<(event: KvCacheEvent) => void>();
  private contexts: readonly LlamaContext[] = [];
  private ranks: readonly Rank[] = [];
  private size: StateSize | null = null;

  /** @param contextSize tokens of one sequence */
  constructor(
    private readonly open: OpenModel,
    private readonly options: LlamaCppEngineOptions,
    private readonly contextSize: number,
  ) {}

  /** Makes the contexts: from here on the memory for all sequences is taken. */
  async start(files: StateFiles): Promise<void> {
    const { numRanks, sequences, batchTokens, threads, flashAttention } = this.options;
    const { model } = this.open;
    for (let rank = 0; rank < numRanks; rank += 1) {
      // Prefixes can be cut only where no window has thrown a part of them away.
      const shape = { contextSize: this.contextSize, sequences, batchSize: batchTokens, flashAttention };
      const context = await model.createContext({ ...shape, threads, swaFullCache: true });
      this.contexts = [...this.contexts, context];
      this.ranks = [...this.ranks, this.makeRank(context, rank, files)];
    }
    this.size = (await this.ranks[0]?.sequences.measure((sequence) => measureState(sequence, files))) ?? null;
  }

  /** Gives the contexts' memory back, after the iterations that are going on. */
  async stop(): Promise<void> {
    for (const rank of this.ranks) rank.clear();
    await Promise.all(this.contexts.map((context) => context.dispose()));
  }

  /** How large states are; known from the start on. */
  get stateSize(): StateSize {
    if (this.size === null) throw new Error('the engine was not started');
    return this.size;
  }

  get states(): readonly RankState[] {
    return this.ranks.map((rank, index) => ({ rank: index, ...rank.state }));
  }

  /** @throws RangeError for a rank that is not there */
  at(index: number): Rank {
    const rank = this.ranks[index];
    if (rank === undefined) {
      throw new RangeError(`rank must be in range [0, ${String(this.ranks.length)}), got ${String(index)}`);
    }
    return rank;
  }

  /** Calls back at the end of every iteration and whenever a request leaves a rank or stops being active there. */
  onIteration(listener: () => void): () => void {
    return listen(this.listeners, listener);
  }

  /** Calls back with every block that comes to be held or ceases to be. */
  onKvEvent(listener: (event: KvCacheEvent) => void): () => void {
    return listen(this.kvListeners, listener);
  }

  private makeRank(context: LlamaContext, rank: number, files: StateFiles): Rank {
    const { model } = this.open;
    return new Rank(context, files, {
      ...this.options,
      contextSize: this.contextSize,
      isEnd: (token) => model.isEogToken(token),
      onBlockEvent: (event) => {
        if (this.options.reuse) for (const tell of [...this.kvListeners]) tell({ rank, ...event });
      },
      onChange: () => {
        for (const tell of [...this.listeners]) tell();
      },
    });
  }
}

function listen<Args extends unknown[]>(
  listeners: Set<(...args: Args) => void>,
  listener: (...args: Args) => void,
): () => void {
  // Wrapped, so that one function may listen twice.
  const entry = (...args: Args): void => {
    listener(...args);
  };
  listeners.add(entry);
  return () => listeners.delete(entry);
}

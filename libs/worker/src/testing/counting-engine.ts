import type { EngineInfo, RankState } from '@roost/engine';

import type { RankPlacement, RankRequest } from '../scheduling/rank-queue.js';

/** No signal to stop. */
export const never: AbortSignal = new AbortController().signal;

/** Lets everything that is due be done. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An engine as the rank queue sees it: it counts the requests of each rank, and ends iterations when told. */
export class CountingEngine {
  readonly info: EngineInfo;
  private readonly listeners = new Set<() => void>();
  readonly active: number[];

  constructor(ranks: number, maxBatchSize = 2) {
    this.info = { maxBatchSize } as EngineInfo;
    this.active = Array.from({ length: ranks }, () => 0);
  }

  rankStates(): RankState[] {
    return this.active.map((numActiveRequests, rank) => ({
      rank,
      numActiveRequests,
      numActiveTokens: 0,
      kvBlocksTotal: 0,
      kvBlocksPinned: 0,
      kvBlocksCached: 0,
      numPendingPrefillTokens: 0,
      numHeldHandoffs: 0,
    }));
  }

  onIteration(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  begin({ rank }: RankPlacement): void {
    this.active[rank] = (this.active[rank] ?? 0) + 1;
  }

  finish(rank: number): void {
    this.active[rank] = (this.active[rank] ?? 0) - 1;
    this.iterate();
  }

  iterate(): void {
    for (const listener of this.listeners) listener();
  }
}

/** A request that nothing is known of, or what is given. */
export const rankRequest = (over: Partial<RankRequest> = {}): RankRequest => ({
  numInputTokens: 1,
  cachedTokens: () => 0,
  conversationId: null,
  subagentAffinityId: null,
  attentionDpRank: null,
  attentionDpRelax: null,
  ...over,
});

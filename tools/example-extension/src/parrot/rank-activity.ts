import type { RankState } from '@roost/engine';

/** Counts what the ranks of an engine that keeps no cache work on, and tells when a request leaves one. */
export class RankActivity {
  private readonly requests: number[];
  private readonly tokens: number[];
  private readonly listeners = new Set<() => void>();

  constructor(numRanks: number) {
    this.requests = new Array<number>(numRanks).fill(0);
    this.tokens = new Array<number>(numRanks).fill(0);
  }

  get states(): readonly RankState[] {
    return this.requests.map((numActiveRequests, rank) => ({
      rank,
      numActiveRequests,
      numActiveTokens: this.tokens[rank] ?? 0,
      numPendingPrefillTokens: 0,
      kvBlocksTotal: 0,
      kvBlocksPinned: 0,
      kvBlocksCached: 0,
      numHeldHandoffs: 0,
    }));
  }

  /** Calls back when a request leaves a rank. Returns how to stop that. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Counts a request until the function returned is called; calling that again does nothing. */
  enter(rank: number, tokens: number): () => void {
    this.add(rank, 1, tokens);
    let entered = true;
    return () => {
      if (!entered) return;
      entered = false;
      this.add(rank, -1, -tokens);
      for (const listener of this.listeners) listener();
    };
  }

  /** Counts a request for as long as the work on it takes. */
  async during<T>(rank: number, tokens: number, work: () => Promise<T>): Promise<T> {
    const leave = this.enter(rank, tokens);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  private add(rank: number, requests: number, tokens: number): void {
    this.requests[rank] = (this.requests[rank] ?? 0) + requests;
    this.tokens[rank] = (this.tokens[rank] ?? 0) + tokens;
  }
}

import type { AdpRequest, AdpRouter, DecisionKind } from '@roost/adp-router';
import type { Engine, RankState } from '@roost/engine';
import { RoostError } from '@roost/protocol';

import { type BalanceLimits, shouldHold } from './balance.js';

/** A request as far as placing it on a rank is concerned. */
export interface RankRequest {
  readonly numInputTokens: number;
  /** The leading tokens of the prompt that a rank holds at this moment. */
  readonly cachedTokens: (rank: number) => number;
  readonly conversationId: string | null;
  /** Verified; null when the request came without affinity. */
  readonly subagentAffinityId: string | null;
  readonly attentionDpRank: number | null;
  readonly attentionDpRelax: boolean | null;
}

/** Where a request was put, and after how long. */
export interface RankPlacement {
  readonly rank: number;
  readonly decision: DecisionKind;
  readonly queueMs: number;
}

/** What a queue is made of. */
export interface RankQueueOptions {
  /** How many requests may wait; one more is refused as `overloaded`. */
  readonly maxQueued: number;
  /** How long requests may be held back for each other; null, the default, for not at all. */
  readonly balance?: BalanceLimits | null;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** Told of every request that leaves the queue for a rank. */
  readonly onPlaced?: (placement: RankPlacement) => void;
}

interface Waiting extends RankRequest {
  readonly id: number;
  readonly since: number;
  /** Iterations since it came. */
  iters: number;
  /** Iterations since the router first left the request waiting for its home; null: it has not. */
  waitedIters: number | null;
  start(placement: RankPlacement): void;
}

/**
 * The instance's queue. Requests wait here until a rank has a free slot; the ADP router assigns them, all that can start at
 * a time together, from the ranks' states. It looks whenever a request arrives and at the end of each of the engine's
 * iterations. With `balance` it holds requests back for each other.
 */
export class RankQueue {
  private readonly waiting = new Map<number, Waiting>();
  private nextId = 0;
  private lookPending = false;
  private readonly stopListening: () => void;
  private readonly maxQueued: number;
  private readonly balance: BalanceLimits | null;
  private readonly now: () => number;
  private readonly onPlaced: (placement: RankPlacement) => void;

  constructor(
    private readonly engine: Pick<Engine, 'info' | 'rankStates' | 'onIteration'>,
    private readonly router: AdpRouter,
    options: RankQueueOptions,
  ) {
    this.maxQueued = options.maxQueued;
    this.balance = options.balance ?? null;
    this.now = options.now ?? (() => performance.now());
    this.onPlaced = options.onPlaced ?? (() => undefined);
    this.stopListening = engine.onIteration(() => this.onIteration());
  }

  get depth(): number {
    return this.waiting.size;
  }

  /**
   * Waits for a rank, and calls `job` with it in the very turn in which it was assigned, so that the engine counts the
   * request before the router looks again.
   *
   * @throws the signal's reason when it aborts while waiting; whatever `job` throws
   */
  run<T>(request: RankRequest, signal: AbortSignal, job: (placement: RankPlacement) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.waiting.size >= this.maxQueued) {
      throw new RoostError('overloaded', `the instance's queue is full (${String(this.maxQueued)} requests)`);
    }
    return new Promise((resolve, reject) => {
      const id = this.nextId++;
      const giveUp = (): void => {
        this.waiting.delete(id);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      const start = (placement: RankPlacement): void => {
        signal.removeEventListener('abort', giveUp);
        job(placement).then(resolve, reject);
      };
      this.waiting.set(id, { ...request, id, since: this.now(), iters: 0, waitedIters: null, start });
      this.lookSoon();
    });
  }

  close(): void {
    this.stopListening();
  }

  /** Requests that arrive in the same turn of the event loop are assigned together. */
  private lookSoon(): void {
    if (this.lookPending) return;
    this.lookPending = true;
    setImmediate(() => {
      this.lookPending = false;
      this.look();
    });
  }

  private onIteration(): void {
    for (const request of this.waiting.values()) {
      request.iters += 1;
      if (request.waitedIters !== null) request.waitedIters += 1;
    }
    // A request between its prefill and its decoding is active again before this turn of the event loop ends.
    this.lookSoon();
  }

  private look(): void {
    if (this.waiting.size === 0) return;
    const ranks = this.engine.rankStates();
    const cap = this.engine.info.maxBatchSize;
    const room = ranks.reduce((sum, { numActiveRequests }) => sum + Math.max(0, cap - numActiveRequests), 0);
    if (room === 0) return;
    const unheld = this.unheld(ranks, cap);
    // A router that can defer passes over those that wait for their home, so it has to see who is behind them.
    const batch = [...unheld.take(this.router.canDefer ? this.waiting.size : room)];
    if (batch.length === 0) return;
    const loads = ranks.map((rank) => ({ ...rank, numInTransfer: rank.numHeldHandoffs }));
    const { decisions, deferred } = this.router.assign(loads, batch.map(offerOf));
    for (const id of deferred) this.defer(id);
    for (const { id, rank, kind } of decisions) this.start(id, rank, kind);
  }

  /** Those that are not held back for the sake of balance, in the order of arrival. */
  private unheld(ranks: readonly RankState[], cap: number): IteratorObject<Waiting> {
    const all = this.waiting.values();
    if (this.balance === null) return all;
    // Who waits for a home already, waits for that alone.
    const fresh = [...this.waiting.values().filter(({ waitedIters }) => waitedIters === null)];
    const waiting = { count: fresh.length, longestIters: fresh[0]?.iters ?? 0 };
    return shouldHold(waiting, ranks, cap, this.balance) ? all.filter(({ waitedIters }) => waitedIters !== null) : all;
  }

  private defer(id: number): void {
    const request = this.waiting.get(id);
    if (request !== undefined) request.waitedIters ??= 0;
  }

  private start(id: number, rank: number, decision: DecisionKind): void {
    const request = this.waiting.get(id);
    if (request === undefined) return;
    this.waiting.delete(id);
    const placement = { rank, decision, queueMs: this.now() - request.since };
    this.onPlaced(placement);
    request.start(placement);
  }
}

function offerOf({ waitedIters, ...request }: Waiting): AdpRequest<number> {
  return { ...request, waitedIters: waitedIters ?? 0 };
}

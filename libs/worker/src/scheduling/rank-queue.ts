import { type AdpRouter, AssignmentQueue, type BalanceLimits, type DecisionKind } from '@roost/adp-router';
import type { Engine } from '@roost/engine';
import { RoostError } from '@roost/protocol';

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

interface Waiting {
  /** By the queue's clock. */
  readonly since: number;
  readonly signal: AbortSignal;
  readonly start: (placement: RankPlacement) => void;
}

/**
 * The instance's queue. Requests wait here until a rank has a free slot; the ADP router assigns them, all that can start at
 * a time together, from the ranks' states. It looks whenever a request arrives and at the end of each of the engine's
 * iterations. Who is assigned, held back or deferred is for the {@link AssignmentQueue} to say.
 */
export class RankQueue {
  private readonly waiting: AssignmentQueue<Waiting>;
  private lookPending = false;
  private readonly stopListening: () => void;
  private readonly maxQueued: number;
  private readonly now: () => number;
  private readonly onPlaced: (placement: RankPlacement) => void;

  constructor(
    private readonly engine: Pick<Engine, 'info' | 'rankStates' | 'onIteration'>,
    router: AdpRouter,
    options: RankQueueOptions,
  ) {
    const { maxBatchSize } = engine.info;
    this.waiting = new AssignmentQueue(router, { maxBatchSize, balance: options.balance ?? null });
    this.maxQueued = options.maxQueued;
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
      const start = (placement: RankPlacement): void => {
        signal.removeEventListener('abort', giveUp);
        job(placement).then(resolve, reject);
      };
      const waiting: Waiting = { since: this.now(), signal, start };
      const giveUp = (): void => {
        this.waiting.remove(waiting);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.waiting.add(waiting, request);
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
    this.waiting.iterated();
    // A request between its prefill and its decoding is active again before this turn of the event loop ends.
    this.lookSoon();
  }

  private look(): void {
    if (this.waiting.size === 0) return;
    const loads = this.engine.rankStates().map((rank) => ({ ...rank, numInTransfer: rank.numHeldHandoffs }));
    for (const { id, rank, kind } of this.waiting.assign(loads)) this.start(id, rank, kind);
  }

  private start({ since, signal, start }: Waiting, rank: number, decision: DecisionKind): void {
    // The job that was started before it may have ended it.
    if (signal.aborted) return;
    const placement = { rank, decision, queueMs: this.now() - since };
    this.onPlaced(placement);
    start(placement);
  }
}

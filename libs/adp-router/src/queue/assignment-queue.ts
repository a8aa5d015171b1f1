import type { AdpRequest, AdpRouter, Decision, RankLoad } from '../ports/adp-router.js';

import { type BalanceLimits, shouldHold } from './balance.js';

/** What a queue has to know of a request; how long it has waited, the queue knows itself. */
export type QueuedRequest = Omit<AdpRequest<unknown>, 'id' | 'waitedIters'>;

/** What an instance's queue goes by. */
export interface AssignmentQueueOptions {
  /** Requests that a rank can have. */
  readonly maxBatchSize: number;
  /** How long requests may be held back for each other; null for not at all. */
  readonly balance: BalanceLimits | null;
}

interface Waiting {
  readonly request: QueuedRequest;
  /** The iterations that had ended when it came. */
  readonly cameAt: number;
  /** The same of when the router first left it waiting for its home; null: it has not. */
  deferredAt: number | null;
}

/**
 * The queue of an instance. Requests wait here until a rank has a free slot; the router assigns all that can start at a
 * time together. With `balance` they are held back for each other. Knows no clock but the iterations that it is told of.
 */
export class AssignmentQueue<Id> {
  /** In the order of arrival. */
  readonly #waiting = new Map<Id, Waiting>();
  #iterations = 0;

  constructor(
    private readonly router: AdpRouter,
    private readonly options: AssignmentQueueOptions,
  ) {}

  /** Requests that wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Takes a request in, under an id that no other one has that waits. */
  add(id: Id, request: QueuedRequest): void {
    this.#waiting.set(id, { request, cameAt: this.#iterations, deferredAt: null });
  }

  /** Forgets a request; no effect when it does not wait. */
  remove(id: Id): void {
    this.#waiting.delete(id);
  }

  /** To be told at the end of each of the instance's iterations. */
  iterated(): void {
    this.#iterations += 1;
  }

  /**
   * Takes the requests out that are to start now, and says where. To be called whenever a request came, and when an
   * iteration ended.
   *
   * @param ranks the load of every rank at this moment
   */
  assign(ranks: readonly RankLoad[]): readonly Decision<Id>[] {
    if (this.#waiting.size === 0) return [];
    const { maxBatchSize } = this.options;
    const room = ranks.reduce((sum, { numActiveRequests }) => sum + Math.max(0, maxBatchSize - numActiveRequests), 0);
    if (room === 0) return [];
    // A router that can defer passes over those that wait for their home, so it has to see who is behind them.
    const batch = [...this.#unheld(ranks).take(this.router.canDefer ? this.#waiting.size : room)];
    if (batch.length === 0) return [];
    const { decisions, deferred } = this.router.assign(
      ranks,
      batch.map(([id, waiting]) => this.#offer(id, waiting)),
    );
    for (const id of deferred) {
      const waiting = this.#waiting.get(id);
      if (waiting !== undefined) waiting.deferredAt ??= this.#iterations;
    }
    for (const { id } of decisions) this.#waiting.delete(id);
    return decisions;
  }

  /** Those that are not held back for the sake of balance, in the order of arrival. */
  #unheld(ranks: readonly RankLoad[]): IteratorObject<[Id, Waiting]> {
    const { maxBatchSize, balance } = this.options;
    const all = this.#waiting.entries();
    if (balance === null) return all;
    // Who waits for a home already, waits for that alone.
    const fresh = [...this.#waiting.values().filter(({ deferredAt }) => deferredAt === null)];
    const longestIters = this.#iterations - (fresh[0]?.cameAt ?? this.#iterations);
    return shouldHold({ count: fresh.length, longestIters }, ranks, maxBatchSize, balance)
      ? all.filter(([, { deferredAt }]) => deferredAt !== null)
      : all;
  }

  #offer(id: Id, { request, deferredAt }: Waiting): AdpRequest<Id> {
    return { ...request, id, waitedIters: deferredAt === null ? 0 : this.#iterations - deferredAt };
  }
}

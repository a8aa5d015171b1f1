import type { KvHandle } from '@roost/engine';
import { encodeOpaqueState, makeOpaqueState, parseOpaqueState, RoostError, type Usage } from '@roost/protocol';

/** A prompt's cache that waits to be taken over, and what its context leg has to say to the generation leg. */
export interface HeldCache {
  readonly handle: KvHandle;
  readonly firstTokens: readonly number[];
  readonly usage: Usage;
}

interface Held extends HeldCache {
  readonly ctxRequestId: bigint;
  readonly state: string;
  /** Pulls that are reading the cache right now; it does not expire under them. */
  readers: number;
  /** Released or expired: to be freed as soon as nobody reads it. */
  unwanted: boolean;
  readonly timer: NodeJS.Timeout;
}

/** Which cache is asked for. */
export interface CacheQuestion {
  readonly ctxRequestId: bigint;
  readonly encodedOpaqueState: string;
  /** Whether to wait for a cache that is not there yet. */
  readonly awaited: boolean;
}

/**
 * The caches that wait on this context worker for their generation worker. Each is freed exactly once: when it is
 * released, or when its time is over and nobody is reading it.
 */
export class HeldHandoffs {
  private readonly held = new Map<bigint, Held>();
  /** Readers that were there before their cache, by its state. */
  private readonly awaited = new Map<string, Set<(held: Held) => void>>();
  private onEmpty: (() => void) | null = null;

  /**
   * @param timeoutMs how long a cache waits for its reader, and a reader for its cache (`kv_transfer_timeout_ms`)
   * @param free lets go of the cache in the engine
   * @param expired told of every cache that nobody fetched in time
   */
  constructor(
    private readonly timeoutMs: number,
    private readonly free: (handle: KvHandle) => void,
    private readonly expired: () => void = () => undefined,
  ) {}

  get size(): number {
    return this.held.size;
  }

  /**
   * Keeps a cache and gives the state to ask for it with.
   *
   * @param givenState the state that the generation leg has been given already, if it has
   * @throws RoostError `request_id_in_use` when a cache is held for that request already, `invalid_request` when the given
   *   state is not for it
   */
  hold(ctxRequestId: bigint, cache: HeldCache, givenState?: string): string {
    if (this.held.has(ctxRequestId)) {
      // Edges with the same node_id may come to the same id: whoever tries again has another one.
      throw new RoostError(
        'request_id_in_use',
        `disagg_request_id ${String(ctxRequestId)} is in use: give every edge a node_id of its own`,
        { param: 'disagg_request_id' },
      );
    }
    const state = givenState ?? encodeOpaqueState(makeOpaqueState(ctxRequestId));
    if (parseOpaqueState(state)?.ctxRequestId !== ctxRequestId) {
      throw new RoostError('invalid_request', 'encoded_opaque_state is not of this request', {
        param: 'encoded_opaque_state',
      });
    }
    const timer = setTimeout(() => this.expire(held), this.timeoutMs);
    timer.unref();
    const held: Held = { ...cache, ctxRequestId, state, readers: 0, unwanted: false, timer };
    this.held.set(ctxRequestId, held);
    for (const arrived of this.awaited.get(state) ?? []) arrived(held);
    return state;
  }

  /**
   * Runs `read` over a held cache, which stays held for so long.
   *
   * @throws RoostError `kv_cache_gone` when it is not held (any more), or did not come in time; the signal's reason when it
   *   aborts while waiting for it
   */
  async *read<T>(
    question: CacheQuestion,
    signal: AbortSignal,
    read: (cache: HeldCache) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    const { ctxRequestId, encodedOpaqueState, awaited } = question;
    const there = this.find(ctxRequestId, encodedOpaqueState);
    const held = there ?? (awaited ? await this.arrival(encodedOpaqueState, signal) : undefined);
    if (held === undefined) {
      throw new RoostError('kv_cache_gone', `no KV cache is held for request ${String(ctxRequestId)}`);
    }
    held.readers += 1;
    try {
      yield* read(held);
    } finally {
      held.readers -= 1;
      this.freeIfDone(held);
    }
  }

  /** Frees a cache, after those who are reading it. False when it is not held. */
  release(ctxRequestId: bigint, encodedState: string): boolean {
    const held = this.find(ctxRequestId, encodedState);
    if (held === undefined) return false;
    this.dispose(held);
    return true;
  }

  /** Resolves when no cache is held. */
  empty(): Promise<void> {
    return new Promise((resolve) => {
      this.onEmpty = resolve;
      this.tellIfEmpty();
    });
  }

  /** Frees all, read or not: the worker is going down. */
  clear(): void {
    for (const held of this.held.values()) {
      clearTimeout(held.timer);
      this.free(held.handle);
    }
    this.held.clear();
  }

  private find(ctxRequestId: bigint, encodedState: string): Held | undefined {
    const held = this.held.get(ctxRequestId);
    return held?.state === encodedState ? held : undefined;
  }

  private arrival(state: string, signal: AbortSignal): Promise<Held | undefined> {
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(this.timeoutMs)]);
    return new Promise((resolve, reject) => {
      const waiting = this.awaited.get(state) ?? new Set();
      this.awaited.set(state, waiting);
      const leave = (): void => {
        bounded.removeEventListener('abort', giveUp);
        waiting.delete(arrived);
        if (waiting.size === 0) this.awaited.delete(state);
      };
      const arrived = (held: Held): void => {
        leave();
        resolve(held);
      };
      const giveUp = (): void => {
        leave();
        if (signal.aborted) reject(signal.reason as Error);
        else resolve(undefined);
      };
      waiting.add(arrived);
      if (bounded.aborted) giveUp();
      else bounded.addEventListener('abort', giveUp, { once: true });
    });
  }

  private expire(held: Held): void {
    this.expired();
    this.dispose(held);
  }

  /** Nobody can ask for it any more. */
  private dispose(held: Held): void {
    clearTimeout(held.timer);
    if (this.held.get(held.ctxRequestId) === held) this.held.delete(held.ctxRequestId);
    held.unwanted = true;
    this.freeIfDone(held);
  }

  private freeIfDone(held: Held): void {
    if (held.readers > 0 || !held.unwanted) return;
    this.free(held.handle);
    this.tellIfEmpty();
  }

  private tellIfEmpty(): void {
    if (this.held.size === 0) this.onEmpty?.();
  }
}

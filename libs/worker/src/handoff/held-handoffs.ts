import type { KvHandle } from '@roost/engine';
import { RoostError } from '@roost/protocol';

import { encodeOpaqueState, makeOpaqueState, type OpaqueState, parseOpaqueState } from './opaque-state.js';

interface Held {
  readonly handle: KvHandle;
  readonly state: OpaqueState;
  /** Pulls that are reading the cache right now; it does not expire under them. */
  readers: number;
  expired: boolean;
  released: boolean;
  readonly timer: NodeJS.Timeout;
}

/**
 * The caches that wait on this context worker for their generation worker. Each is freed exactly once: when it is
 * released, or when its time is over and nobody is reading it.
 */
export class HeldHandoffs {
  private readonly held = new Map<bigint, Held>();
  private onEmpty: (() => void) | null = null;

  /**
   * @param timeoutMs how long a cache waits (`kv_transfer_timeout_ms`)
   * @param free lets go of the cache in the engine
   */
  constructor(
    private readonly timeoutMs: number,
    private readonly free: (handle: KvHandle) => void,
  ) {}

  get size(): number {
    return this.held.size;
  }

  /**
   * Keeps a cache and gives the state to ask for it with.
   *
   * @throws RoostError `invalid_request` when a cache is held for that request already
   */
  hold(ctxRequestId: bigint, handle: KvHandle): string {
    if (this.held.has(ctxRequestId)) {
      throw new RoostError('invalid_request', `disagg_request_id ${String(ctxRequestId)} is in use`, {
        param: 'disagg_request_id',
      });
    }
    const state = makeOpaqueState(ctxRequestId);
    const timer = setTimeout(() => this.expire(ctxRequestId), this.timeoutMs);
    timer.unref();
    this.held.set(ctxRequestId, { handle, state, readers: 0, expired: false, released: false, timer });
    return encodeOpaqueState(state);
  }

  /**
   * Runs `read` over a held cache, which stays held for so long.
   *
   * @throws RoostError `kv_cache_gone` when it is not held (any more)
   */
  async *read<T>(
    ctxRequestId: bigint,
    encodedState: string,
    read: (handle: KvHandle) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    const held = this.find(ctxRequestId, encodedState);
    if (held === undefined) {
      throw new RoostError('kv_cache_gone', `no KV cache is held for request ${String(ctxRequestId)}`);
    }
    held.readers += 1;
    try {
      yield* read(held.handle);
    } finally {
      held.readers -= 1;
      this.freeIfDone(held);
    }
  }

  /** Frees a cache, after those who are reading it. False when it is not held. */
  release(ctxRequestId: bigint, encodedState: string): boolean {
    const held = this.find(ctxRequestId, encodedState);
    if (held === undefined) return false;
    this.held.delete(ctxRequestId);
    held.released = true;
    clearTimeout(held.timer);
    this.freeIfDone(held);
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
    const state = parseOpaqueState(encodedState);
    const held = this.held.get(ctxRequestId);
    return state?.ctxRequestId === ctxRequestId && held?.state.nonce === state.nonce ? held : undefined;
  }

  private expire(ctxRequestId: bigint): void {
    const held = this.held.get(ctxRequestId);
    if (held === undefined) return;
    held.expired = true;
    this.held.delete(ctxRequestId);
    this.freeIfDone(held);
  }

  private freeIfDone(held: Held): void {
    if (held.readers > 0 || !(held.expired || held.released)) return;
    this.free(held.handle);
    this.tellIfEmpty();
  }

  private tellIfEmpty(): void {
    if (this.held.size === 0) this.onEmpty?.();
  }
}

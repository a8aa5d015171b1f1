import { RoostError } from '@roost/protocol';

/** A request's place among those being served. */
export interface Admitted {
  /** Gives the place to the next in line. Idempotent. */
  leave(): void;
}

/** Lets a bounded number of requests through, keeps a bounded number waiting in order, and turns the rest away at once. */
export class Admission {
  private running = 0;
  private readonly waiting = new Set<() => void>();

  /**
   * @param maxConcurrent requests served at once, at least 1
   * @param maxQueued requests that may wait, at least 0
   */
  constructor(
    private readonly maxConcurrent: number,
    private readonly maxQueued: number,
  ) {}

  get inFlight(): number {
    return this.running;
  }

  get queued(): number {
    return this.waiting.size;
  }

  /**
   * Waits for a place.
   *
   * @throws RoostError `overloaded` when the line is full; the signal's reason when it aborts while waiting
   */
  async enter(signal: AbortSignal): Promise<Admitted> {
    signal.throwIfAborted();
    if (this.running < this.maxConcurrent) this.running += 1;
    else await this.wait(signal);
    let left = false;
    return {
      leave: () => {
        if (left) return;
        left = true;
        this.handOver();
      },
    };
  }

  private wait(signal: AbortSignal): Promise<void> {
    if (this.waiting.size >= this.maxQueued) {
      throw new RoostError('overloaded', 'the server is at its limit of concurrent and waiting requests: retry later');
    }
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.waiting.delete(enter);
        reject(signal.reason as Error);
      };
      const enter = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.waiting.add(enter);
    });
  }

  private handOver(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.running -= 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}

import { RoostError } from '@roost/protocol';

/**
 * The legs that run on this worker. Once it drains, new ones are refused so that the edge tries another instance, and
 * those that run may finish; `abort` ends what is left.
 */
export class InFlight {
  private running = 0;
  private draining = false;
  private readonly ended = new AbortController();
  private readonly idle = Promise.withResolvers<undefined>();

  get count(): number {
    return this.running;
  }

  /** Aborts when the worker's time is over. */
  get over(): AbortSignal {
    return this.ended.signal;
  }

  /** Runs a leg under a signal that also aborts when the worker's time is over. */
  async run<T>(signal: AbortSignal, leg: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.enter();
    try {
      return await leg(AbortSignal.any([signal, this.ended.signal]));
    } finally {
      this.leave();
    }
  }

  /** {@link run} for a leg that streams; it runs for as long as the stream is read. */
  async *runStream<T>(signal: AbortSignal, leg: (signal: AbortSignal) => AsyncIterable<T>): AsyncGenerator<T, void> {
    this.enter();
    try {
      yield* leg(AbortSignal.any([signal, this.ended.signal]));
    } finally {
      this.leave();
    }
  }

  /** Refuses new legs from now on; resolves when none runs. */
  drain(): Promise<void> {
    this.draining = true;
    if (this.running === 0) this.idle.resolve(undefined);
    return this.idle.promise;
  }

  abort(): void {
    this.ended.abort(new RoostError('worker_unavailable', 'the worker is shutting down'));
  }

  private enter(): void {
    if (this.draining) throw new RoostError('worker_unavailable', 'the worker is shutting down');
    this.running += 1;
  }

  private leave(): void {
    this.running -= 1;
    if (this.draining && this.running === 0) this.idle.resolve(undefined);
  }
}

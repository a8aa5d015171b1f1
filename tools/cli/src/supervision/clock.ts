import { setTimeout as delay } from 'node:timers/promises';

/** Time as the supervision sees it. */
export interface Clock {
  /** Milliseconds of a monotonic clock. */
  now(): number;

  /** Resolves after `milliseconds`; rejects with the signal's reason as soon as the signal is aborted. */
  delay(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  delay: async (milliseconds, signal) => {
    try {
      await delay(milliseconds, undefined, signal && { signal });
    } catch (error) {
      throw signal?.reason ?? error;
    }
  },
};

import { setImmediate, setTimeout } from 'node:timers/promises';

/** Where an engine's time comes from. */
export interface Clock {
  /** Milliseconds, with fractions, from some fixed point. */
  now(): number;
  /** Resolves at about that time, up to a millisecond early, and never before others had a turn on the event loop. */
  sleepUntil(at: number): Promise<void>;
}

/** The machine's monotonic clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  // Timers know whole milliseconds only. What is cut off here, a pacer adds to the next sleep.
  sleepUntil: async (at) => {
    const delay = Math.floor(at - performance.now());
    await (delay >= 1 ? setTimeout(delay) : setImmediate());
  },
};

import type { Clock } from '../supervision/clock.js';

const interval = 100;

/**
 * Asks again and again, 100 ms apart, until the answer is true. A failed question counts as no.
 * Rejects with the signal's reason when the signal is aborted.
 */
export async function waitUntil(ask: () => Promise<boolean>, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!(await ask().catch(() => false))) await clock.delay(interval, signal);
  signal.throwIfAborted();
}

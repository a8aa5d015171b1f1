import { setTimeout as sleep } from 'node:timers/promises';

import { RoostError } from '@roost/protocol';

/** Milliseconds before each further try. */
const AGAIN_AFTER_MS = [200, 1_000, 3_000];

/**
 * Makes a call that does no harm when it is made twice, again where the peer may not have heard it, a few times at most.
 * Never throws: this is for calls that nobody waits for.
 *
 * @param pause waits so many milliseconds
 * @returns whether the peer has heard it
 */
export async function insist(
  call: () => Promise<unknown>,
  pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { ref: false }),
): Promise<boolean> {
  for (const againAfterMs of [...AGAIN_AFTER_MS, null]) {
    try {
      await call();
      return true;
    } catch (error) {
      if (againAfterMs === null || !mayBeUnheard(error)) return false;
      await pause(againAfterMs);
    }
  }
  return false;
}

/** A peer that refuses has heard. */
function mayBeUnheard(error: unknown): boolean {
  return !(error instanceof RoostError) || error.kind.fault !== 'client';
}

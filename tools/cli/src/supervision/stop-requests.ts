import type { EventEmitter } from 'node:events';

import type { Clock } from './clock.js';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * One Ctrl-C arrives several times - from the terminal, from npm, from the start script - within this many milliseconds.
 */
const sameRequest = 400;

/** What a process is asked to do. */
export interface StopHandlers {
  /** Finish; called once. */
  readonly stop: () => void;
  /** Finish at once; called once, for the second request. */
  readonly kill: () => void;
}

/**
 * Listens for requests to stop: signals, and the end of the parent process where there is a channel to it.
 * Returns how to stop listening.
 */
export function onStopRequest(target: EventEmitter, clock: Clock, { stop, kill }: StopHandlers): () => void {
  let firstAt: number | undefined;
  const request = (): void => {
    const now = clock.now();
    if (firstAt === undefined) {
      firstAt = now;
      stop();
    } else if (now - firstAt >= sameRequest) {
      stopListening();
      kill();
    }
  };
  const names = [...signals, 'disconnect'];
  const stopListening = (): void => {
    for (const name of names) target.off(name, request);
  };
  for (const name of names) target.on(name, request);
  return stopListening;
}

import { setImmediate } from 'node:timers/promises';

import type { Clock } from './clock.js';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** Time that passes only when it is told to: for tests and for replays. */
export class VirtualClock implements Clock {
  private time = 0;
  private sleepers: Sleeper[] = [];

  now(): number {
    return this.time;
  }

  /** How many wait for their time. */
  get sleeping(): number {
    return this.sleepers.length;
  }

  sleepUntil(at: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.sleepers.push({ at, wake: () => resolve(undefined) });
    return promise;
  }

  /** Goes on to when the next one wants to wake, wakes it, and lets it do what it has to. False when nobody sleeps. */
  async step(): Promise<boolean> {
    await setImmediate();
    const [first, ...rest] = this.sleepers.sort((a, b) => a.at - b.at);
    if (first === undefined) return false;
    this.sleepers = rest;
    this.time = Math.max(this.time, first.at);
    first.wake();
    await setImmediate();
    return true;
  }

  /** Steps until nobody sleeps. */
  async run(): Promise<void> {
    while (await this.step());
  }
}

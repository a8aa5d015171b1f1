import { type Spread, spreadOf } from './spread.js';

/** What holding followers back came to. */
export interface HoldReport {
  /** Requests that were held. */
  readonly requests: number;
  /** Those of them that went on because their time was up. */
  readonly timedOut: number;
  /** How long they were held, in milliseconds; null without one. */
  readonly time: Spread | null;
}

/** Adds holds up. */
export class HoldTally {
  readonly #times: number[] = [];
  #timedOut = 0;

  /** A request was held for so many milliseconds. */
  add(time: number, timedOut: boolean): void {
    this.#times.push(time);
    if (timedOut) this.#timedOut += 1;
  }

  report(): HoldReport {
    return { requests: this.#times.length, timedOut: this.#timedOut, time: spreadOf(this.#times) };
  }
}

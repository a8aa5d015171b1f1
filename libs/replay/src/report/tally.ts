import { type Spread, spreadOf } from './spread.js';

/** What is known of a request when it is done. */
export interface RequestRecord {
  readonly inputTokens: number;
  /** Prompt tokens that the engine found in its cache. */
  readonly cachedTokens: number;
  /** What the oracle would have reused: of all prefills finished when the request arrived. */
  readonly reusableTokens: number;
  /** The same of all requests that had arrived before it. */
  readonly instantlyReusableTokens: number;
  /** Milliseconds from arrival to the first token. */
  readonly timeToFirstToken: number;
}

/** The requests of a class together. Tokens are summed, each reuse capped at what the oracle could have reused. */
export interface ClassReport {
  readonly requests: number;
  readonly inputTokens: number;
  /** As engines reported them. */
  readonly cachedTokens: number;
  readonly reusableTokens: number;
  readonly reusedTokens: number;
  readonly instantlyReusableTokens: number;
  readonly instantlyReusedTokens: number;
  /** In milliseconds; null without a request. */
  readonly timeToFirstToken: Spread | null;
}

/** Adds the requests of a class up. */
export class Tally {
  readonly #times: number[] = [];
  #sums = {
    inputTokens: 0,
    cachedTokens: 0,
    reusableTokens: 0,
    reusedTokens: 0,
    instantlyReusableTokens: 0,
    instantlyReusedTokens: 0,
  };

  add(record: RequestRecord): void {
    const { inputTokens, cachedTokens, reusableTokens, instantlyReusableTokens } = record;
    const sums = this.#sums;
    this.#sums = {
      inputTokens: sums.inputTokens + inputTokens,
      cachedTokens: sums.cachedTokens + cachedTokens,
      reusableTokens: sums.reusableTokens + reusableTokens,
      reusedTokens: sums.reusedTokens + Math.min(cachedTokens, reusableTokens),
      instantlyReusableTokens: sums.instantlyReusableTokens + instantlyReusableTokens,
      instantlyReusedTokens: sums.instantlyReusedTokens + Math.min(cachedTokens, instantlyReusableTokens),
    };
    this.#times.push(record.timeToFirstToken);
  }

  report(): ClassReport {
    return { requests: this.#times.length, ...this.#sums, timeToFirstToken: spreadOf(this.#times) };
  }
}

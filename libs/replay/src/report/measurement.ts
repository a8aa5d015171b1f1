import { type OracleRequest, Oracles } from '../oracle/oracles.js';
import type { PerOracle } from '../oracle/reuse.js';

import { type ByClass, byClass, type RequestClass } from './request-class.js';
import { type ClassReport, Tally } from './tally.js';

/** A request, as it is measured. */
export interface MeasuredRequest extends OracleRequest {
  readonly requestClass: RequestClass;
}

/** A request that has arrived, and what oracles could have reused then. */
export interface Arrival {
  readonly request: MeasuredRequest;
  /** In milliseconds. */
  readonly at: number;
  readonly reusableTokens: PerOracle<number>;
}

/**
 * Measures the requests of one replay: it is told of each when it arrives, when its prefill is finished, and when it is
 * known what was cached.
 */
export class Measurement {
  readonly #oracles: Oracles;
  readonly #tallies: ByClass<Tally>;

  /** @param horizons of the oracles, in milliseconds; Infinity: for ever */
  constructor(shape: { readonly numBlocks: number; readonly tokensPerBlock: number }, horizons: readonly number[]) {
    this.#oracles = new Oracles(shape, horizons);
    this.#tallies = byClass(() => new Tally(horizons));
  }

  /** A request arrives, at a time in milliseconds. */
  arrived(request: MeasuredRequest, at: number): Arrival {
    return { request, at, reusableTokens: this.#oracles.arrive(request, at) };
  }

  /** The prefill of a request that has arrived is finished. */
  prefilled({ request }: Arrival, now: number): void {
    this.#oracles.finish(request, now);
  }

  /**
   * Counts a request.
   *
   * @param told tokens, as the engine counts them, and when the first token of the answer came, in milliseconds
   */
  record(
    { request, at, reusableTokens }: Arrival,
    told: { readonly inputTokens: number; readonly cachedTokens: number; readonly firstTokenAt: number },
  ): void {
    const { inputTokens, cachedTokens, firstTokenAt } = told;
    const record = { inputTokens, cachedTokens, reusableTokens, timeToFirstToken: firstTokenAt - at };
    this.#tallies[request.requestClass].add(record);
    this.#tallies.total.add(record);
  }

  /** What all that were counted come to. */
  report(): ByClass<ClassReport> {
    return byClass((name) => this.#tallies[name].report());
  }
}

import { type Clock, CLOCKS, type PerOracle, perOracle, type Reuse, SCOPES } from '../oracle/reuse.js';

import { type Spread, spreadOf } from './spread.js';

/** What is known of a request when it is done. */
export interface RequestRecord {
  readonly inputTokens: number;
  /** Prompt tokens that the engine found in its cache. */
  readonly cachedTokens: number;
  /** What each oracle could have reused when the request arrived. */
  readonly reusableTokens: PerOracle<number>;
  /** Milliseconds from arrival to the first token. */
  readonly timeToFirstToken: number;
}

/** The requests of a class together; tokens are summed. */
export interface ClassReport {
  readonly requests: number;
  readonly inputTokens: number;
  /** As engines reported them. */
  readonly cachedTokens: number;
  readonly reuse: PerOracle<Reuse>;
  /** In milliseconds; null without a request. */
  readonly timeToFirstToken: Spread | null;
}

/** What was reusable and reused by the first of a replay's horizons, the one that is shown where there is room for one. */
export function mainReuse({ reuse }: Pick<ClassReport, 'reuse'>, clock: Clock = 'causal'): Reuse {
  return reuse[clock].global[0] ?? { horizon: Infinity, reusableTokens: 0, reusedTokens: 0 };
}

/** Adds the requests of a class up. */
export class Tally {
  readonly #times: number[] = [];
  readonly #reuse: PerOracle<{ -readonly [Name in keyof Reuse]: Reuse[Name] }>;
  #inputTokens = 0;
  #cachedTokens = 0;

  /** @param horizons in milliseconds, of the oracles whose words are recorded */
  constructor(horizons: readonly number[]) {
    this.#reuse = perOracle(() => horizons.map((horizon) => ({ horizon, reusableTokens: 0, reusedTokens: 0 })));
  }

  add({ inputTokens, cachedTokens, reusableTokens, timeToFirstToken }: RequestRecord): void {
    this.#inputTokens += inputTokens;
    this.#cachedTokens += cachedTokens;
    for (const clock of CLOCKS)
      for (const scope of SCOPES)
        for (const [at, sum] of this.#reuse[clock][scope].entries()) {
          const reusable = reusableTokens[clock][scope][at] ?? 0;
          sum.reusableTokens += reusable;
          sum.reusedTokens += Math.min(cachedTokens, reusable);
        }
    this.#times.push(timeToFirstToken);
  }

  report(): ClassReport {
    return {
      requests: this.#times.length,
      inputTokens: this.#inputTokens,
      cachedTokens: this.#cachedTokens,
      reuse: perOracle((clock, scope) => this.#reuse[clock][scope].map((sum) => ({ ...sum }))),
      timeToFirstToken: spreadOf(this.#times),
    };
  }
}

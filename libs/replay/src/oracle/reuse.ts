/**
 * Which earlier requests an oracle knows: on the instant clock all that have arrived, what a perfect hold of followers could
 * reach; on the causal clock those whose prefill is finished, what a router that holds nothing back could reach.
 */
export type Clock = 'causal' | 'instant';

/** All clocks. */
export const CLOCKS: readonly Clock[] = ['causal', 'instant'];

/** Whose earlier requests an oracle knows: those of the same agent, of the same session with its sub-agents, or of all. */
export type Scope = 'global' | 'tree' | 'chain';

/** All scopes, from the widest to the narrowest. */
export const SCOPES: readonly Scope[] = ['global', 'tree', 'chain'];

/** Something for each clock and each scope, and there for each horizon, in the order of the replay's horizons. */
export type PerOracle<Value> = Readonly<Record<Clock, Readonly<Record<Scope, readonly Value[]>>>>;

/** Asks for each oracle's value. */
export function perOracle<Value>(valuesOf: (clock: Clock, scope: Scope) => readonly Value[]): PerOracle<Value> {
  const perScope = (clock: Clock): PerOracle<Value>[Clock] => ({
    global: valuesOf(clock, 'global'),
    tree: valuesOf(clock, 'tree'),
    chain: valuesOf(clock, 'chain'),
  });
  return { causal: perScope('causal'), instant: perScope('instant') };
}

/** What an oracle with one horizon could have reused of some requests, and what was, in prompt tokens. */
export interface Reuse {
  /** How long after its last use a block may be reused, in milliseconds; Infinity: for ever. */
  readonly horizon: number;
  readonly reusableTokens: number;
  /** What engines found in their caches; of each request at most what was reusable. */
  readonly reusedTokens: number;
}

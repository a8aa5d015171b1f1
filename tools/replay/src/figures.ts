import type { ByClass, PerOracle, Reuse, Spread } from '@roost/replay';

/** Names of request classes for people: in a table's head, and where there is room. */
export const CLASS_NAMES: ByClass<{ readonly short: string; readonly long: string }> = {
  mainFirst: { short: '1st main', long: 'first of a main agent' },
  mainUser: { short: 'main, user', long: 'later, after the user' },
  mainTool: { short: 'main, tool', long: 'later, after a tool' },
  subFirstFresh: { short: '1st sub', long: 'first of a fresh sub-agent' },
  subFirstFork: { short: '1st fork', long: 'first of a fork' },
  subRest: { short: 'sub, later', long: 'later of a sub-agent' },
  afterCompaction: { short: 'compacted', long: 'after a compaction' },
  total: { short: 'total', long: 'all' },
};

/** Names of oracle scopes for people. */
export const SCOPE_NAMES: Readonly<Record<keyof PerOracle<unknown>['causal'], string>> = {
  global: 'all sessions',
  tree: 'own tree',
  chain: 'own chain',
};

const NOTHING = '-';

/** What was reused of what was reusable, in percent, with one decimal. */
export function shareOf({ reusedTokens, reusableTokens }: Reuse): string {
  return reusableTokens === 0 ? NOTHING : ((100 * reusedTokens) / reusableTokens).toFixed(1);
}

/** Figures of a spread of milliseconds, in seconds. */
export function secondsOf(spread: Spread | null, figures: readonly (keyof Spread)[], digits = 2): string {
  return spread === null ? NOTHING : figures.map((name) => (spread[name] / 1000).toFixed(digits)).join(' / ');
}

/** A horizon in words. */
export function horizonName(milliseconds: number): string {
  return milliseconds === Infinity ? 'no horizon' : `${(milliseconds / 1000).toLocaleString('en')} s`;
}

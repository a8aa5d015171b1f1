import {
  type ByClass,
  mainReuse,
  REQUEST_CLASSES,
  type ReplayReport,
  type Reuse,
  type Scope,
  type Spread,
} from '@roost/replay';

/** What rows and columns are of: each class of requests, and all requests. */
export const CLASSES = [...REQUEST_CLASSES, 'total'] as const;

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
export const SCOPE_NAMES: Readonly<Record<Scope, string>> = {
  global: 'all sessions',
  tree: 'own tree',
  chain: 'own chain',
};

const NOTHING = '-';

/** What was reused of what was reusable, in percent; null when nothing was reusable. */
export function percentReused({ reusedTokens, reusableTokens }: Omit<Reuse, 'horizon'>): number | null {
  return reusableTokens === 0 ? null : (100 * reusedTokens) / reusableTokens;
}

/** The same as a text, with one decimal. */
export function shareOf(reuse: Reuse): string {
  return percentReused(reuse)?.toFixed(1) ?? NOTHING;
}

/** Prompt tokens that all ranks have computed. */
export function computedTokens({ prefillTokens }: Pick<ReplayReport, 'prefillTokens'>): number {
  return prefillTokens.flat().reduce((sum, tokens) => sum + tokens, 0);
}

/** Of those, the ones that the oracle of the causal clock would have reused. */
export function recomputedTokens({ classes: { total } }: Pick<ReplayReport, 'classes'>): number {
  const { reusableTokens, reusedTokens } = mainReuse(total);
  return reusableTokens - reusedTokens;
}

/** Figures of a spread of milliseconds, in seconds. */
export function secondsOf(spread: Spread | null, figures: readonly (keyof Spread)[], digits = 2): string {
  return spread === null ? NOTHING : figures.map((name) => (spread[name] / 1000).toFixed(digits)).join(' / ');
}

/** Requests that were held back, those of them whose time was up, and seconds, p50 and p99; nothing where nobody is held. */
export function heldCells({ holds }: Pick<ReplayReport, 'holds'>): readonly string[] {
  if (holds === null) return [NOTHING, NOTHING, NOTHING];
  return [String(holds.requests), String(holds.timedOut), secondsOf(holds.time, ['p50', 'p99'])];
}

/** The horizons of a replay's oracles, in words. */
export function horizonsOf([report]: readonly Pick<ReplayReport, 'classes'>[]): readonly string[] {
  return (report?.classes.total.reuse.causal.global ?? []).map(({ horizon }) => horizonName(horizon));
}

function horizonName(milliseconds: number): string {
  return milliseconds === Infinity ? 'no horizon' : `${(milliseconds / 1000).toLocaleString('en')} s`;
}

/** When a dead child is started again; all times in milliseconds. */
export interface RestartLimits {
  /** Wait before the first restart; doubled for each quick death that follows another. */
  readonly firstDelay: number;
  readonly longestDelay: number;
  /** A child that lived for less than this died quickly. */
  readonly quickDeath: number;
  /** Quick deaths in a row after which no restart is tried. At least 1. */
  readonly mostQuickDeaths: number;
}

/** What to do about a dead child. */
export type RestartDecision =
  { readonly kind: 'restart'; readonly delay: number } | { readonly kind: 'give-up'; readonly quickDeaths: number };

/** Limits for processes that need about a second to start. */
export const defaultRestartLimits: RestartLimits = {
  firstDelay: 250,
  longestDelay: 10_000,
  quickDeath: 10_000,
  mostQuickDeaths: 6,
};

/** Decides, for one child, whether and when it is started again. */
export class RestartPolicy {
  private quickDeaths = 0;

  constructor(private readonly limits: RestartLimits = defaultRestartLimits) {
    if (limits.mostQuickDeaths < 1) throw new RangeError('mostQuickDeaths must be at least 1');
  }

  /** To be told of every death, with the milliseconds that the child had lived. */
  onDeath(lived: number): RestartDecision {
    const { firstDelay, longestDelay, quickDeath, mostQuickDeaths } = this.limits;
    this.quickDeaths = lived < quickDeath ? this.quickDeaths + 1 : 0;
    if (this.quickDeaths >= mostQuickDeaths) return { kind: 'give-up', quickDeaths: this.quickDeaths };
    const doublings = Math.max(0, this.quickDeaths - 1);
    return {
      kind: 'restart',
      delay: Math.min(longestDelay, firstDelay * 2 ** doublings),
    };
  }
}

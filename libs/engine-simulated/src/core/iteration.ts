import type { Progress, Rank, RankPlan } from './rank.js';

/** One iteration of all ranks of an instance, which step together. */
export interface Iteration {
  readonly plans: readonly RankPlan[];
  /** Whether no rank has anything to compute. */
  readonly idle: boolean;
}

/** Plans what every rank does next. */
export function planIteration(ranks: readonly Rank[]): Iteration {
  const plans = ranks.map((rank) => rank.plan());
  return { plans, idle: plans.every((plan) => plan.steps.length === 0) };
}

/** Carries out what {@link planIteration} planned for the same ranks. */
export function commitIteration(ranks: readonly Rank[], { plans }: Iteration): Progress[] {
  return ranks.flatMap((rank, index) => {
    const plan = plans[index];
    return plan === undefined ? [] : rank.commit(plan);
  });
}

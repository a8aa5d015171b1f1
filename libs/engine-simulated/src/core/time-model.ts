import type { RankPlan } from './rank.js';

/** How long simulated work takes. Every duration is divided by `speedUp`; with an infinite one nothing takes any time. */
export interface TimeModel {
  readonly prefillTokensPerSecond: number;
  /** One decode step of a rank, however many requests take part in it. */
  readonly decodeStepMs: number;
  /** Of one rank's link, in each direction. */
  readonly kvBandwidthBytesPerSecond: number;
  readonly speedUp: number;
}

/**
 * How long an iteration takes: as long as its slowest rank, since all ranks of an instance step together. A rank takes the
 * time that its prefill tokens need, plus one decode step when anything decodes on it.
 */
export function iterationMs(model: TimeModel, plans: readonly RankPlan[]): number {
  return Math.max(0, ...plans.map((plan) => rankMs(model, plan)));
}

/** How long a KV transfer of so many bytes occupies a rank's link. */
export function transferMs(model: TimeModel, bytes: number): number {
  return (bytes / model.kvBandwidthBytesPerSecond) * (1000 / model.speedUp);
}

function rankMs(model: TimeModel, { steps }: RankPlan): number {
  let prefillTokens = 0;
  let decodes = false;
  for (const step of steps) {
    if (step.kind === 'prefill') prefillTokens += step.numTokens;
    else decodes = true;
  }
  const prefillMs = (prefillTokens / model.prefillTokensPerSecond) * 1000;
  return (prefillMs + (decodes ? model.decodeStepMs : 0)) / model.speedUp;
}

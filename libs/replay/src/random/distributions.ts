import type { Random } from './random.js';

/** A number from an exponential distribution. */
export function exponential(random: Random, mean: number): number {
  return -Math.log(1 - random()) * mean;
}

/**
 * A number from a gamma distribution (Marsaglia and Tsang, 2000).
 *
 * @param cv its standard deviation over its mean, greater than 0; 1: an exponential distribution
 */
export function gamma(random: Random, mean: number, cv: number): number {
  const shape = 1 / cv ** 2;
  // The method is for shapes of 1 and above: one below is made of the next.
  if (shape >= 1) return (standardGamma(random, shape) * mean) / shape;
  return (standardGamma(random, shape + 1) * (1 - random()) ** (1 / shape) * mean) / shape;
}

/** A number from `min` up to and without `max`. */
export function uniform(random: Random, min: number, max: number): number {
  return min + random() * (max - min);
}

/** A log-normal distribution by its median and its 90th percentile. */
export interface Lognormal {
  readonly p50: number;
  readonly p90: number;
}

/** How many standard deviations above the mean a normal distribution's 90th percentile lies. */
const Z90 = 1.2815515655446004;

/** A number from a log-normal distribution. */
export function lognormal(random: Random, { p50, p90 }: Lognormal): number {
  return p50 * (p90 / p50) ** (normal(random) / Z90);
}

/** Values and how often each comes, from 0 to 1; that adds up to 1. */
export type Choices<Value> = readonly (readonly [value: Value, share: number])[];

/** One of the values, as often as its share says. */
export function weighted<Value>(random: Random, choices: Choices<Value>): Value {
  let left = random();
  let chosen: Value | undefined;
  for (const [value, share] of choices) {
    chosen = value;
    left -= share;
    if (left < 0) break;
  }
  if (chosen === undefined) throw new RangeError('there is nothing to choose from');
  return chosen;
}

function standardGamma(random: Random, shape: number): number {
  const d = shape - 1 / 3;
  for (;;) {
    const x = normal(random);
    const v = (1 + x / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - random()) < x ** 2 / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

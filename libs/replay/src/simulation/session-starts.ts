import { exponential } from '../random/distributions.js';
import { seededRandom } from '../random/random.js';

/** When sessions start, in milliseconds: a Poisson process of a mean interval, the first one at 0. */
export function sessionStarts(count: number, meanInterval: number, seed: number): readonly number[] {
  const random = seededRandom(seed);
  let start = 0;
  return Array.from({ length: count }, (_, index) => {
    if (index > 0) start += exponential(random, meanInterval);
    return start;
  });
}

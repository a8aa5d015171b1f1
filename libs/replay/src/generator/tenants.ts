import { namedRandom } from '../random/random.js';

/** A tenth of the tenants have so large a share of the sessions (ServeGen, in the agent-traffic reference 2.4). */
const TOP = 0.1;
const TOP_SHARE = 0.7;
const MOST_SKEWED = 8;

/** Which tenant each session is of: by Zipf's law. */
export class Tenants {
  /** The share of sessions of each tenant and of all before it. */
  readonly #shares: readonly number[];

  constructor(
    count: number,
    private readonly seed: number,
  ) {
    this.#shares = sharesOf(count, exponentFor(count));
  }

  /** The tenant's name. */
  of(session: number): string {
    const at = namedRandom(this.seed, `tenant of ${String(session)}`)();
    const tenant = this.#shares.findIndex((share) => at < share);
    return `t${String(tenant === -1 ? this.#shares.length - 1 : tenant)}`;
  }
}

/** Found by halving: the larger the exponent, the larger the share of the top. */
function exponentFor(count: number): number {
  const top = Math.max(1, Math.round(count * TOP));
  let [low, high] = [0, MOST_SKEWED];
  for (let step = 0; step < 40; step += 1) {
    const middle = (low + high) / 2;
    if ((sharesOf(count, middle)[top - 1] ?? 1) < TOP_SHARE) low = middle;
    else high = middle;
  }
  return high;
}

function sharesOf(count: number, exponent: number): readonly number[] {
  const weights = Array.from({ length: count }, (_, rank) => (rank + 1) ** -exponent);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  let sum = 0;
  return weights.map((weight) => (sum += weight / all));
}

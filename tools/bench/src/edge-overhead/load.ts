/** One way of having the same request served. */
export interface Target {
  readonly name: string;
  /** Has a request served; rejects when it fails. */
  ask(body: Buffer): Promise<void>;
}

/** What a closed loop of clients saw. */
export interface LoadResult {
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/**
 * Keeps `clients` requests under way for `seconds`, each with a body of its own.
 *
 * @param bodyOf the body of the n-th request
 * @throws what the first failing request throws
 */
export async function load(
  target: Target,
  clients: number,
  seconds: number,
  bodyOf: (n: number) => Buffer,
): Promise<LoadResult> {
  const latencies: number[] = [];
  const started = performance.now();
  const end = started + seconds * 1_000;
  let next = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const body = bodyOf(next++);
      const asked = performance.now();
      await target.ask(body);
      latencies.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const elapsed = performance.now() - started;
  latencies.sort((a, b) => a - b);
  return {
    requestsPerSecond: (latencies.length / elapsed) * 1_000,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

/** The value below which a share of sorted values lies; NaN of none. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

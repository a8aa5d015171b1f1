/** How values are spread; percentiles are values that occur. */
export interface Spread {
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** The spread of values; null when there are none. */
export function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const percentile = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { mean: meanOf(values), p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) };
}

/** The largest value over the mean: 1 when all are alike, or all are 0. */
export function imbalanceOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return mean === 0 ? 1 : values.reduce((largest, value) => Math.max(largest, value), 0) / mean;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The median of the figures, and their range where there are several. */
export function spread(numbers: readonly number[], digits: number): string {
  const sorted = numbers.filter((value) => !Number.isNaN(value)).toSorted((a, b) => a - b);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) return '';
  const text = (value: number): string => value.toFixed(digits);
  return sorted.length === 1 ? text(least) : `${text(median(sorted))} (${text(least)}-${text(most)})`;
}

/** The middle one of the figures; NaN of none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

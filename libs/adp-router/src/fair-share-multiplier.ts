/**
 * The fair share multiplier, given back; less than 1 counts as 1.
 *
 * @throws RangeError when it is not a number
 */
export function checkedMultiplier(fairShareMultiplier: number): number {
  if (Number.isNaN(fairShareMultiplier)) throw new RangeError('the fair share multiplier is not a number');
  return Math.max(1, fairShareMultiplier);
}

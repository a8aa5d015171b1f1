/**
 * The hard cap, given back.
 *
 * @param maxNumActiveRequests active requests that no rank may exceed
 * @throws RangeError when it is not a whole number of at least 1
 */
export function checkedHardCap(maxNumActiveRequests: number): number {
  if (!Number.isInteger(maxNumActiveRequests) || maxNumActiveRequests < 1) {
    throw new RangeError(`a rank's hard cap is a whole number of at least 1, not ${String(maxNumActiveRequests)}`);
  }
  return maxNumActiveRequests;
}

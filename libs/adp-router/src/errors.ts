/** A batch has more requests than its ranks have room for: the caller broke its promise. Nothing was assigned. */
export class AdpCapacityExceeded extends RangeError {
  override readonly name = 'AdpCapacityExceeded';

  /**
   * @param numRequests in the batch
   * @param capacity requests that all ranks together could take below their hard cap
   */
  constructor(
    readonly numRequests: number,
    readonly capacity: number,
  ) {
    super(`${String(numRequests)} requests were offered to ranks that have room for ${String(capacity)}`);
  }
}

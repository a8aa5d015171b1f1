import type { Explanation } from './explain-request.js';

/** The last requests that ended, so many at most; the oldest is forgotten for each that is added. */
export class RecentRequests {
  private readonly byId = new Map<string, Explanation>();

  /** @param capacity 0: none is remembered */
  constructor(readonly capacity: number) {}

  add(explanation: Explanation): void {
    if (this.capacity === 0) return;
    this.byId.set(explanation.request_id, explanation);
    if (this.byId.size <= this.capacity) return;
    const [oldest] = this.byId.keys();
    if (oldest !== undefined) this.byId.delete(oldest);
  }

  /**
   * The request that a client knows by this id.
   *
   * @param id as in `x-roost-request-id`, or as in the answer (`chatcmpl-...`, `cmpl-...`)
   */
  find(id: string): Explanation | null {
    return this.byId.get(id) ?? this.byId.get(id.replace(/^(chatcmpl|cmpl)-/, '')) ?? null;
  }

  /** The last to end first. */
  latest(count: number): readonly Explanation[] {
    return [...this.byId.values()].slice(-count).reverse();
  }
}

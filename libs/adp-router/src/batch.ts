import { cachedTokensOf } from './cached-tokens.js';
import { AdpCapacityExceeded } from './errors.js';
import type { AdpRequest, Assignment, Decision, DecisionKind, RankLoad } from './ports/adp-router.js';
import type { RankCounts } from './ports/placement.js';

/** One batch while it is being assigned: the load of every rank including what was assigned so far, and the decisions. */
export class Batch<Id> implements RankCounts {
  readonly numRanks: number;
  readonly activeRequests: number[];
  readonly activeTokens: number[];
  readonly pendingPrefillTokens: number[];
  private readonly byRank: Id[][];
  private readonly decisions: Decision<Id>[] = [];
  private readonly deferred: Id[] = [];
  private readonly capacity: number;

  /**
   * @param hardCap active requests that no rank may exceed
   * @param canDefer whether more requests may come than the ranks have room for
   * @throws AdpCapacityExceeded when it may not, and the requests do not fit below the hard cap of all ranks together
   * @throws RangeError when the ranks are not numbered from 0 without a gap
   */
  constructor(
    ranks: readonly RankLoad[],
    private readonly numRequests: number,
    readonly hardCap: number,
    canDefer = false,
  ) {
    if (ranks.length === 0) refuseRanks(ranks);
    this.numRanks = ranks.length;
    this.activeRequests = new Array<number>(ranks.length).fill(-1);
    this.activeTokens = new Array<number>(ranks.length).fill(0);
    this.pendingPrefillTokens = new Array<number>(ranks.length).fill(0);
    // Pending tokens of one rank and prompt tokens of another would not compare.
    const knowsPending = ranks.every(({ numPendingPrefillTokens }) => numPendingPrefillTokens !== undefined);
    let capacity = 0;
    for (const { rank, numActiveRequests, numActiveTokens, numPendingPrefillTokens = 0 } of ranks) {
      if (this.activeRequests[rank] !== -1) refuseRanks(ranks);
      this.activeRequests[rank] = numActiveRequests;
      this.activeTokens[rank] = numActiveTokens;
      this.pendingPrefillTokens[rank] = knowsPending ? numPendingPrefillTokens : numActiveTokens;
      capacity += Math.max(0, hardCap - numActiveRequests);
    }
    if (numRequests > capacity && !canDefer) {
      throw new AdpCapacityExceeded(numRequests, capacity);
    }
    this.capacity = capacity;
    this.byRank = this.activeRequests.map(() => []);
  }

  /** Whether a rank exists and can take one more request. */
  hasRoom(rank: number): boolean {
    // An index below zero is a property's name to V8, which takes it much longer to look up.
    return rank >= 0 && (this.activeRequests[rank] ?? this.hardCap) < this.hardCap;
  }

  /** Whether any rank can take one more request. */
  get hasRoomLeft(): boolean {
    return this.decisions.length < this.capacity;
  }

  /** Requests that are not assigned by now. */
  get numLeft(): number {
    return this.numRequests - this.decisions.length;
  }

  /** The most active requests that any rank has by now. */
  get busiest(): number {
    let busiest = 0;
    for (const active of this.activeRequests) if (active > busiest) busiest = active;
    return busiest;
  }

  /** Requests a rank if all that is left of the batch and all that was active before were spread evenly, rounded up. */
  get fairShare(): number {
    let total = this.numLeft;
    for (const active of this.activeRequests) total += active;
    return Math.ceil(total / this.numRanks);
  }

  /**
   * Assigns a request.
   *
   * @param tokens what the rank's active tokens grow by
   */
  place(request: AdpRequest<Id>, rank: number, kind: DecisionKind, tokens = request.numInputTokens): void {
    const { id, numInputTokens } = request;
    this.byRank[rank]?.push(id);
    this.activeRequests[rank] = (this.activeRequests[rank] ?? 0) + 1;
    this.activeTokens[rank] = (this.activeTokens[rank] ?? 0) + tokens;
    this.pendingPrefillTokens[rank] =
      (this.pendingPrefillTokens[rank] ?? 0) + numInputTokens - cachedTokensOf(request, rank);
    this.decisions.push({ id, rank, kind });
  }

  /** Leaves a request to wait. */
  defer({ id }: AdpRequest<Id>): void {
    this.deferred.push(id);
  }

  /** What was decided. */
  finish(softCap: number): Assignment<Id> {
    return {
      byRank: this.byRank,
      expectedNumActiveRequests: Math.max(softCap, this.busiest),
      decisions: this.decisions,
      deferred: this.deferred,
    };
  }
}

function refuseRanks(ranks: readonly RankLoad[]): never {
  const numbers = ranks.map(({ rank }) => rank).join(', ');
  throw new RangeError(`ranks must be numbered from 0 without a gap, not "${numbers}"`);
}

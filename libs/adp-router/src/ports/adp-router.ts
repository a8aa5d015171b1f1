/** What one rank works on when a batch is assigned. */
export interface RankLoad {
  /** Ranks of one call are numbered from 0 without a gap, in any order. */
  readonly rank: number;
  /** Requests that the rank works on. */
  readonly numActiveRequests: number;
  /** Prompt tokens of those requests. */
  readonly numActiveTokens: number;
  /** Those of the prompt tokens that are still to be computed. Looked at where every rank has it, else `numActiveTokens` is. */
  readonly numPendingPrefillTokens?: number;
  /** Requests whose prefill is done and whose KV cache is held for its transfer; they are not active. Absent counts as 0. */
  readonly numInTransfer?: number;
}

/** What a router may know of a request that waits for a rank. */
export interface AdpRequest<Id> {
  readonly id: Id;
  /** Prompt tokens. */
  readonly numInputTokens: number;
  /** The agent's own conversation. */
  readonly conversationId?: string | null;
  /** The parent session; where present it takes the conversation's place as the routing key. */
  readonly subagentAffinityId?: string | null;
  /** The rank that the request asks for. A number that names no rank counts as absent. */
  readonly attentionDpRank?: number | null;
  /** False: served before the others of its batch. Absent counts as true. */
  readonly attentionDpRelax?: boolean | null;
  /**
   * The prompt tokens whose KV cache lies on a rank, counted from the first one to the first that is missing. Asked during
   * `assign` only, and answers the same for the same rank as long as that lasts. An answer outside 0 to `numInputTokens`
   * counts as the nearer of the two. Absent: nothing is cached.
   */
  readonly cachedTokens?: (rank: number) => number;
  /** Scheduling iterations since `assign` first deferred the request. Absent counts as 0. */
  readonly waitedIters?: number;
}

/**
 * Why a request went to its rank:
 *
 * - `explicit`: it asked for the rank;
 * - `sticky`: the rank is bound to its conversation;
 * - `parent`: the rank is bound to its parent session;
 * - `overflow`: its home rank was full, the binding stays;
 * - `prefix`: the rank has more of its prompt cached than the threshold asks for, and not too much to do;
 * - `new`: placement chose the rank, and where there is a routing key, bound it.
 */
export type DecisionKind = 'explicit' | 'sticky' | 'parent' | 'overflow' | 'prefix' | 'new';

/** Where one request went, and why. */
export interface Decision<Id> {
  readonly id: Id;
  readonly rank: number;
  readonly kind: DecisionKind;
}

/** Where a batch goes. */
export interface Assignment<Id> {
  /** For each rank, by its number, the ids assigned to it in the order in which it should serve them. */
  readonly byRank: readonly (readonly Id[])[];
  /** At least the number of active requests that any rank has after this batch; ranks below it are padded up to it. */
  readonly expectedNumActiveRequests: number;
  /** One per assigned request, in the order in which they were made. */
  readonly decisions: readonly Decision<Id>[];
  /** The requests that were not assigned: to be offered again at the next iteration. Empty unless the router `canDefer`. */
  readonly deferred: readonly Id[];
}

/** What a router holds of bindings, for metrics. */
export interface BindingCounts {
  readonly held: number;
  /** Dropped by a full table since the start. */
  readonly evicted: number;
}

/**
 * Assigns the requests that arrived since the last scheduling iteration to the ranks of one instance. Deterministic: two
 * routers of the same options that are given the same calls give the same answers (reference 6.2).
 */
export interface AdpRouter {
  /** Whether the router looks at `cachedTokens`; a caller may leave them away for one that does not. */
  readonly needsCachedTokens: boolean;
  /**
   * Whether `assign` may leave requests to wait. Such a router takes any number of requests, and is best offered all that
   * wait: it passes over those that it defers, so that they hold up none behind them, and serves first what waited longest.
   * The caller offers deferred requests again in every call, with their `waitedIters`.
   */
  readonly canDefer: boolean;

  /**
   * Every request is assigned or deferred exactly once, and no rank is taken above its hard cap.
   *
   * @param ranks the load of every rank
   * @param requests in arrival order, unless the router `canDefer` not more than the ranks have room for below their hard cap
   * @throws AdpCapacityExceeded when there are more requests than that; nothing has changed then
   * @throws RangeError when the ranks are not numbered from 0 without a gap; nothing has changed then
   */
  assign<Id>(ranks: readonly RankLoad[], requests: readonly AdpRequest<Id>[]): Assignment<Id>;

  /** Absent where the router binds nothing. */
  bindingCounts?(): BindingCounts;
}

/** What one rank works on when a batch is assigned. */
export interface RankLoad {
  /** Ranks of one call are numbered from 0 without a gap, in any order. */
  readonly rank: number;
  /** Requests that the rank works on. */
  readonly numActiveRequests: number;
  /** Prompt tokens of those requests. */
  readonly numActiveTokens: number;
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
}

/**
 * Why a request went to its rank:
 *
 * - `explicit`: it asked for the rank;
 * - `sticky`: the rank is bound to its conversation;
 * - `parent`: the rank is bound to its parent session;
 * - `overflow`: its home rank was full, the binding stays;
 * - `new`: placement chose the rank, and where there is a routing key, bound it.
 */
export type DecisionKind = 'explicit' | 'sticky' | 'parent' | 'overflow' | 'new';

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
  /** One per request, in the order in which they were made. */
  readonly decisions: readonly Decision<Id>[];
}

/**
 * Assigns the requests that arrived since the last scheduling iteration to the ranks of one instance. Deterministic: two
 * routers of the same options that are given the same calls give the same answers (reference 6.2).
 */
export interface AdpRouter {
  /**
   * Every request is assigned exactly once, and no rank is taken above its hard cap.
   *
   * @param ranks the load of every rank
   * @param requests in arrival order, not more than the ranks have room for below their hard cap
   * @throws AdpCapacityExceeded when there are more requests than that; nothing has changed then
   * @throws RangeError when the ranks are not numbered from 0 without a gap; nothing has changed then
   */
  assign<Id>(ranks: readonly RankLoad[], requests: readonly AdpRequest<Id>[]): Assignment<Id>;
}

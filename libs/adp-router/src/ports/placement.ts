import type { AdpRequest } from './adp-router.js';

/** What a placement may know of the request that it places. */
export type PlacedRequest = Pick<AdpRequest<unknown>, 'numInputTokens' | 'cachedTokens'>;

/** The ranks as a placement sees them: indexed by rank number, the batch so far included. */
export interface RankCounts {
  /** Requests on each rank. */
  readonly activeRequests: readonly number[];
  /** Prompt tokens of the requests on each rank. */
  readonly activeTokens: readonly number[];
  /** Prompt tokens that each rank has still to compute, without what it has cached of the batch's requests. */
  readonly pendingPrefillTokens: readonly number[];
}

/** Chooses ranks for requests without a usable binding. Belongs to one router and may remember what it chose. */
export interface Placement {
  /**
   * The rank for the next request: one that has fewer active requests than the cap.
   *
   * @param cap active requests a rank; the caller promises that at least one rank has fewer
   * @param request what is to be placed
   */
  choose(ranks: RankCounts, cap: number, request: PlacedRequest): number;
}

/** A way to place, as the configuration names it. */
export interface PlacementStrategy {
  /** The value of `kv_cache_routing_new_conv_placement` that selects it. */
  readonly name: string;
  /** Whether it looks at `cachedTokens`. */
  readonly needsCachedTokens: boolean;
  /** A placement that has chosen nothing yet. */
  create(): Placement;
}

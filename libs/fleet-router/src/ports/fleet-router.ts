import { type BlockHashes } from '@roost/prefix-index';

/** What an instance-level router needs to know of a request; plain data, made by the edge for one leg. */
export interface RouteRequest {
  /** The request's own conversation id; null or empty when it has none. */
  readonly conversationId: string | null;
  /** Parent session of a sub-agent, given only where affinity applies to this fleet; it then is the routing key. */
  readonly subagentAffinityId: string | null;
  /**
   * Size of the canonical request text in characters (Unicode code points): `role:content` lines joined by newline for
   * chat, the prompt for completions, five characters a token for a prompt of token ids.
   */
  readonly textChars: number;
  /** The canonical request text itself; asked for only when a request has no routing key. */
  readonly text: () => string;
  /** The prompt as token ids where the client sent it so, else null. */
  readonly promptTokenIds: ArrayLike<number> | null;
  /** True for a completions request on a leg that carries its prompt: what `use_tokens` is able to weigh. Default false. */
  readonly completion?: boolean;
  /**
   * Chained hashes of the prompt's full blocks, first block first, hashed as the fleet's workers hash theirs; null or
   * absent where the prompt was not tokenised. What `kv_cache_aware` matches.
   */
  readonly blockHashes?: BlockHashes | null;
  /** Tokens of the whole prompt, where it was tokenised. */
  readonly numTokens?: number;
  /** Contents of the first two messages, concatenated; null or absent for a request without messages. */
  readonly pinText?: string | null;
  /** What `contentPin` makes of `pinText` and the client's token ids, where the caller has made it already; null for none. */
  readonly contentPin?: string | null;
}

/**
 * Why a server was chosen; small enough to be a metric label. `sticky`: the bound home. `parent`: the home that a
 * sub-agent's parent session is bound to. `rebound`: the home was excluded or gone, or had
 * more than its share after a pause, and the key is now bound elsewhere.
 * `overflow`: the home is full and this one request is served elsewhere. `implicit`: no key, but the content continues
 * a known session. `new`: none of these.
 */
export type Decision = 'new' | 'sticky' | 'parent' | 'overflow' | 'rebound' | 'implicit';

/** The outcome of routing one leg; hand the same object back to `finish`. */
export interface Placement {
  /** The chosen server, as it was given to `addServer`. */
  readonly server: string;
  readonly decision: Decision;
  /** The decision in words, for logs. */
  readonly reason: string;
  /** The key that the placement is bound under, at most 256 characters; null for routers that bind nothing. */
  readonly routingKey: string | null;
  /** Leading prompt tokens that the server holds already, where the router matches blocks. */
  readonly matchedTokens?: number;
  /** Tokens of the whole prompt, where the router matches blocks; 0 when the request did not say. */
  readonly numTokens?: number;
}

/** What a router holds of bindings, for metrics. */
export interface BindingCounts {
  readonly held: number;
  /** Dropped by a full table since the start. */
  readonly evicted: number;
}

/**
 * Chooses the server of one fleet for each request and accounts for what is in flight there. Synchronous, deterministic
 * and free of I/O (reference 2): the same calls in the same order give the same answers.
 */
export interface FleetRouter {
  /** The type that it is configured by, such as `conversation`. */
  readonly type: string;
  /** Chooses a server outside `exclude` and reserves load on it; null, reserving nothing, when there is no candidate. */
  route(request: RouteRequest, exclude?: ReadonlySet<string>): Placement | null;
  /**
   * Releases exactly what `route` reserved for this placement; a second call with it does nothing. Throws a TypeError
   * for an object that no router of this package made.
   */
  finish(placement: Placement, success: boolean): void;
  /** Makes a server a candidate; no effect when it is one. Bindings of other servers stay where they are. */
  addServer(server: string): void;
  /** Forgets a server, its load and the bindings to it; no effect when it is unknown. */
  removeServer(server: string): void;
  /** The candidates, in the order in which they were added. */
  servers(): readonly string[];
  /** Load in flight by server, in the router's own unit (requests or estimated tokens); never negative. */
  loads(): ReadonlyMap<string, number>;
  /** Absent where the router binds nothing. */
  bindingCounts?(): BindingCounts;
}

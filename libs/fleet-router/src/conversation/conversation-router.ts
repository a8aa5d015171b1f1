import { type BlockHashes, SessionIndex } from '@roost/prefix-index';

import { bindingKey } from '../bindings/binding-key.js';
import { InMemoryBindingStore, type InMemoryBindingStoreOptions } from '../bindings/in-memory-binding-store.js';
import { NO_SERVER, PooledRouter } from '../pool/pooled-router.js';
import { Reservation } from '../pool/reservation.js';
import { type Server } from '../pool/server.js';
import { type BindingStore } from '../ports/binding-store.js';
import { type BindingCounts, type Decision, type Placement, type RouteRequest } from '../ports/fleet-router.js';

import { MAX_BLOCKS, chainBlocks, codePoints } from './block-chain.js';
import { Rebalancing } from './rebalancing.js';

/** Estimate of characters a token that loads and `hash_skip_count` are computed with (reference 2.4). */
export const CHARS_PER_TOKEN = 5;

/** How often one request may come upon a session whose binding has idled out before it counts as new. */
const MAX_STALE_MATCHES = 8;

/** What a reservation is made of beside its server. */
type PlacementArguments = [weight: number, decision: Decision, reason: string, routingKey: string | null];

/** Turns a request's text into token ids, with the model's own template and tokenizer. */
export type Tokenize = (request: RouteRequest) => ArrayLike<number>;

/** The router's arguments (reference 2.4) and what it works with. */
export interface ConversationOptions {
  /** Least share of a request's blocks, from 0 to 1, that a known session must share to be continued. */
  readonly matchThreshold: number;
  /** Ids, or code points, a block. */
  readonly tokensPerBlock: number;
  /** Leading tokens left out of matching: a preamble that all requests share. */
  readonly hashSkipCount: number;
  /** Most sessions bound, with and without an id. */
  readonly maxSessions: number;
  /**
   * Most memory in bytes, at least 65,536, for the content of sessions without an id; what was used longest ago is
   * forgotten beyond. Bounds what `maxSessions` does not.
   */
  readonly maxContentBytes: number;
  /** Match requests without an id by tokens; absent: by code points. */
  readonly tokenize?: Tokenize;
  /** Idle time in milliseconds after which a binding ends, and its clock; absent: bindings do not end by time. */
  readonly idle?: { readonly ttlMs: number; readonly now: () => number };
  /**
   * Idle time in milliseconds after which a binding may move to even out what servers were given lately, and its clock;
   * absent: none moves, and equally loaded servers take turns.
   */
  readonly rebalance?: { readonly idleMs: number; readonly now: () => number };
  /** Told apart from other edges' in the keys of sessions without an id. Default 0. */
  readonly nodeId?: number;
  /** Makes the store of bindings, which must report dropped keys. Default: in memory. */
  readonly makeBindings?: (options: InMemoryBindingStoreOptions) => BindingStore;
}

/**
 * Keeps a conversation, and the sub-agents of a parent session, on one server (reference 2.4). A request with a routing
 * key goes where the key is bound; one without goes where the session that it continues by content is bound; all others
 * go to the server with the least estimated tokens in flight and are bound to it.
 */
export class ConversationRouter extends PooledRouter {
  readonly type = 'conversation';
  readonly #options: ConversationOptions;
  readonly #bindings: BindingStore;
  readonly #rebalancing: Rebalancing | null;
  /** The sessions without an id, which the bindings hold too; null until there is one: its memory is set aside at once. */
  #implicit: SessionIndex<Server> | null = null;
  #implicitKeys = 0;

  constructor(servers: Iterable<string>, options: ConversationOptions) {
    super(servers);
    this.#options = options;
    const { rebalance, makeBindings = (limits): BindingStore => new InMemoryBindingStore(limits) } = options;
    this.#rebalancing = rebalance === undefined ? null : new Rebalancing(this.pool, rebalance);
    const idle = options.idle ?? (rebalance === undefined ? undefined : { ttlMs: Infinity, now: rebalance.now });
    this.#bindings = makeBindings({
      maxSessions: options.maxSessions,
      ...(idle === undefined ? {} : { idle }),
      onDropped: (key) => {
        this.#implicit?.forget(key);
      },
    });
  }

  route(request: RouteRequest, exclude: ReadonlySet<string> = NO_SERVER): Placement | null {
    const parent = nonEmpty(request.subagentAffinityId);
    const id = parent ?? nonEmpty(request.conversationId);
    return id === null
      ? this.#routeByContent(request, exclude)
      : this.#routeByKey(request, bindingKey(id), parent !== null, exclude);
  }

  override removeServer(server: string): void {
    super.removeServer(server);
    this.#bindings.dropServer(server);
  }

  /** The live bindings as key and server, least recently used first. */
  bindings(): IterableIterator<readonly [key: string, server: string]> {
    return this.#bindings.entries();
  }

  #routeByKey(request: RouteRequest, key: string, ofParent: boolean, exclude: ReadonlySet<string>): Placement | null {
    const weight = Math.max(Math.floor(request.textChars / CHARS_PER_TOKEN), 1);
    const idleMs = this.#rebalancing === null ? 0 : this.#bindings.idleMs(key);
    const home = this.#home(key, exclude);
    const better = this.#betterThan(home, idleMs, exclude);
    if (home !== undefined && better === null)
      return ofParent
        ? this.#reserve(home, weight, 'parent', "parent session's home", key)
        : this.#reserve(home, weight, 'sticky', "conversation's home", key);
    const server = better ?? this.#leastLoaded(exclude);
    if (server === null) return null;
    const previous = this.#bindings.bind(key, server.name);
    if (previous === null) return this.#reserve(server, weight, 'new', 'no binding: least loaded', key);
    const why = better !== null ? 'idle, and home had more than its share' : lostHome(previous, exclude);
    return this.#reserve(server, weight, 'rebound', `${why}: least loaded`, key);
  }

  #betterThan(home: Server | undefined, idleMs: number, exclude: ReadonlySet<string>): Server | null {
    return home === undefined || this.#rebalancing === null ? null : this.#rebalancing.moveFrom(home, idleMs, exclude);
  }

  #leastLoaded(exclude: ReadonlySet<string>): Server | null {
    return this.#rebalancing === null ? this.pool.leastLoaded(exclude) : this.#rebalancing.leastLoaded(exclude);
  }

  #reserve(server: Server, ...placement: PlacementArguments): Reservation {
    this.#rebalancing?.given(server);
    return new Reservation(server, ...placement);
  }

  #routeByContent(request: RouteRequest, exclude: ReadonlySet<string>): Placement | null {
    const chain = this.#chainOf(request);
    const weight = chain.length * this.#options.tokensPerBlock;
    const known = this.#continued(chain, exclude);
    const server = known?.server ?? this.#leastLoaded(exclude);
    if (server === null) return null;
    const key = known?.key ?? this.#nextKey();
    this.#bindings.bind(key, server.name);
    this.#sessions().record(key, server, chain);
    return known === null
      ? this.#reserve(server, weight, 'new', 'no match: least loaded', key)
      : this.#reserve(server, weight, 'implicit', 'continues a session', key);
  }

  bindingCounts(): BindingCounts {
    return { held: this.#bindings.size, evicted: this.#bindings.evictions };
  }

  #home(key: string, exclude: ReadonlySet<string>): Server | undefined {
    const home = this.#bindings.home(key, exclude);
    return home === null ? undefined : this.pool.get(home);
  }

  /** The session that shares enough of the request's leading blocks, on a server that may serve it. */
  #continued(
    chain: BlockHashes,
    exclude: ReadonlySet<string>,
  ): { readonly key: string; readonly server: Server } | null {
    const sessions = this.#sessions();
    const usable = (server: Server): boolean => this.pool.get(server.name) === server && !exclude.has(server.name);
    for (let stale = 0; stale < MAX_STALE_MATCHES; stale++) {
      const found = sessions.match(chain, usable);
      if (found === null || found.blocks / chain.length < this.#options.matchThreshold) return null;
      const { key, home } = found.session;
      if (this.#home(key, exclude) === home) return { key, server: home };
      sessions.forget(key);
    }
    return null;
  }

  #sessions(): SessionIndex<Server> {
    return (this.#implicit ??= new SessionIndex({ maxBytes: this.#options.maxContentBytes }));
  }

  #chainOf(request: RouteRequest): BlockHashes {
    const { hashSkipCount, tokensPerBlock, tokenize } = this.#options;
    const ids = request.promptTokenIds ?? tokenize?.(request);
    if (ids !== undefined) return chainBlocks(ids, hashSkipCount, tokensPerBlock);
    const points = codePoints(request.text(), hashSkipCount * CHARS_PER_TOKEN, MAX_BLOCKS * tokensPerBlock + 1);
    return chainBlocks(points, 0, tokensPerBlock);
  }

  #nextKey(): string {
    this.#implicitKeys++;
    return `conv_id:${String(this.#options.nodeId ?? 0)}_${String(this.#implicitKeys)}`;
  }
}

function lostHome(previous: string, exclude: ReadonlySet<string>): string {
  return exclude.has(previous) ? 'home excluded' : 'home gone';
}

function nonEmpty(id: string | null): string | null {
  return id === '' ? null : id;
}

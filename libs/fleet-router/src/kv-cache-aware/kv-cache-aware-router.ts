import { NO_MATCH, type PrefixIndex, type PrefixMatch } from '@roost/prefix-index';

import { InMemoryBindingStore } from '../bindings/in-memory-binding-store.js';
import { NO_SERVER, PooledRouter } from '../pool/pooled-router.js';
import { type Server } from '../pool/server.js';
import { type BindingCounts, type Placement, type RouteRequest } from '../ports/fleet-router.js';

import { BlockReservation, type Verdict } from './block-reservation.js';
import { contentPin } from './content-pin.js';

/** Conversations whose home is remembered (reference 2.3). */
const MOST_PINS = 50_000;

/** What `auto` is until a worker is known, as in TensorRT-LLM. */
const DEFAULT_TOKENS_PER_BLOCK = 32;

/** The router's arguments (reference 2.3), and one of our own. */
export interface KvCacheAwareOptions {
  /** Active requests that make a server full, for `loadCap`. */
  readonly maxBatchSize: number;
  /** Tokens a block of `blockHashes`; null: what the first worker says. */
  readonly tokensPerBlock: number | null;
  /** Matching blocks that one active request on a server outweighs. */
  readonly loadWeight: number;
  /** Share of `maxBatchSize` from which on a server is left out while there is another. Infinity: never. */
  readonly loadCap: number;
  /** Whether the blocks of a request that was served count as lying on its server, before that says so itself. */
  readonly trackRoutedBlocks: boolean;
  /**
   * Whether the blocks of a request in flight count as lying on its server already. A burst of siblings then follows the
   * first of them in place of spreading, up to `loadCap`. Not an argument of TensorRT-LLM's router.
   */
  readonly predictInFlight: boolean;
}

/** The servers that a request may go to. */
interface Candidates {
  /** One of those with the least load, whose turn it is among them. */
  readonly leastLoaded: Server;
  readonly isCandidate: (server: Server) => boolean;
}

interface Scored {
  readonly server: Server;
  readonly score: number;
}

/**
 * Places each request where most of its leading blocks lie, less a price for every request that is active there
 * (reference 2.3). A conversation goes back to where its last request went, known by its first two messages alone:
 * explicit conversation ids and parent sessions play no part. Requests without block hashes are placed by load.
 */
export class KvCacheAwareRouter extends PooledRouter {
  readonly type = 'kv_cache_aware';
  readonly #pins = new InMemoryBindingStore({ maxSessions: MOST_PINS });
  readonly #options: KvCacheAwareOptions;
  readonly #index: PrefixIndex;
  #tokensPerBlock: number | null;
  #selections = 0;

  constructor(servers: Iterable<string>, options: KvCacheAwareOptions, index: PrefixIndex) {
    super(servers);
    this.#options = options;
    this.#index = index;
    this.#tokensPerBlock = options.tokensPerBlock;
  }

  /** Tokens a block that requests have to be hashed by. */
  get tokensPerBlock(): number {
    return this.#tokensPerBlock ?? DEFAULT_TOKENS_PER_BLOCK;
  }

  /**
   * Takes note of a worker's block size, which becomes the router's where that is automatic. Returns whether the worker's
   * reports can be matched with the requests' hashes; where not, only tracked blocks can. Throws a RangeError when
   * neither size divides the other: such a worker does not belong into this fleet (reference 2.3).
   */
  adoptTokensPerBlock(workers: number): boolean {
    this.#tokensPerBlock ??= workers;
    const [smaller, larger] = [workers, this.#tokensPerBlock].sort((one, other) => one - other);
    if ((larger ?? 0) % (smaller ?? 1) !== 0)
      throw new RangeError(
        `tokens_per_block: the router has ${String(this.#tokensPerBlock)}, the worker ${String(workers)}; ` +
          'one must divide the other',
      );
    return workers === this.#tokensPerBlock;
  }

  route(request: RouteRequest, exclude: ReadonlySet<string> = NO_SERVER): Placement | null {
    const leastLoaded = this.pool.tiedForLeast(exclude, this.#selections);
    if (leastLoaded === null) return null;
    const hashes = request.blockHashes ?? null;
    const match = hashes === null ? NO_MATCH : this.#index.match(hashes);
    const pin = contentPin(request);
    // All are candidates where all are full (reference 2.3).
    const mayBeFull = !this.#isFree(leastLoaded);
    const isCandidate = (server: Server): boolean => !exclude.has(server.name) && (mayBeFull || this.#isFree(server));
    const verdict = this.#choose({ leastLoaded, isCandidate }, match, pin);
    this.#selections++;
    const { name } = verdict.server;
    if (pin !== null) this.#pins.bind(pin, name);
    return new BlockReservation(verdict, pin, {
      hashes,
      numTokens: request.numTokens ?? 0,
      matchedTokens: match.blocksOn(name) * this.tokensPerBlock,
      prediction: hashes !== null && this.#options.predictInFlight ? this.#index.predict(name, hashes) : null,
    });
  }

  override finish(placement: Placement, success: boolean): void {
    super.finish(placement, success);
    if (!(placement instanceof BlockReservation)) return;
    const hashes = placement.settle();
    if (hashes === null || !success || !this.#options.trackRoutedBlocks) return;
    if (this.pool.get(placement.server) === placement.home) this.#index.trackRouted(placement.server, hashes);
  }

  override removeServer(server: string): void {
    super.removeServer(server);
    this.#pins.dropServer(server);
    this.#index.drop(server);
  }

  bindingCounts(): BindingCounts {
    return { held: this.#pins.size, evicted: this.#pins.evictions };
  }

  #isFree({ load }: Server): boolean {
    return load / this.#options.maxBatchSize < this.#options.loadCap;
  }

  #choose(candidates: Candidates, match: PrefixMatch, pin: string | null): Verdict {
    const home = pin === null ? null : this.#pins.home(pin);
    const pinned = home === null ? undefined : this.pool.get(home);
    if (pinned !== undefined && candidates.isCandidate(pinned))
      return { server: pinned, decision: 'sticky', reason: 'where this conversation was last' };
    const server = this.#best(candidates, match);
    if (home !== null) return { server, decision: 'rebound', reason: 'home full or excluded: best score' };
    return match.blocksOn(server.name) > 0
      ? { server, decision: 'implicit', reason: 'most of its blocks for the load' }
      : { server, decision: 'new', reason: 'no blocks there: least loaded' };
  }

  /** The candidate with the highest score; those that share it take turns. */
  #best({ leastLoaded, isCandidate }: Candidates, match: PrefixMatch): Server {
    const { loadWeight } = this.#options;
    const { blocks, servers } = match.deepest;
    if (blocks === 0 && loadWeight > 0) return leastLoaded;
    const best = this.#highest(this.#inOrder(servers).filter(isCandidate), () => blocks);
    // What no other server can be above.
    const limit = match.nextDeepest - loadWeight * leastLoaded.load;
    if (best !== null && best.score > limit) return best.server;
    const { perServer } = match;
    const all = this.pool.live().filter(isCandidate);
    return this.#highest(all, ({ name }) => perServer.get(name) ?? 0)?.server ?? leastLoaded;
  }

  /** The live servers of these names, each once, in the order of adding. */
  #inOrder(names: readonly string[]): readonly Server[] {
    const [first = ''] = names;
    const single = names.length === 1 ? this.pool.get(first) : undefined;
    if (single !== undefined) return [single];
    return [...new Set(names)]
      .flatMap((name) => this.pool.get(name) ?? [])
      .sort((one, other) => one.place - other.place);
  }

  /** Of these, the server with the highest score; null for none. */
  #highest(servers: readonly Server[], blocksOn: (server: Server) => number): Scored | null {
    const { loadWeight } = this.#options;
    let highest = -Infinity;
    let tied: Server[] = [];
    for (const server of servers) {
      const score = blocksOn(server) - loadWeight * server.load;
      if (score < highest) continue;
      if (score > highest) tied = [];
      highest = score;
      tied.push(server);
    }
    const server = tied[this.#selections % tied.length];
    return server === undefined ? null : { server, score: highest };
  }
}

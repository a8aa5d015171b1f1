import { RecentRequests } from '../pool/recent-requests.js';
import { type ServerPool } from '../pool/server-pool.js';
import { type Server } from '../pool/server.js';

/** When bindings are looked at anew. */
export interface RebalancingOptions {
  /** Milliseconds without a use after which a binding may move; also the window in which requests count as recent. */
  readonly idleMs: number;
  /** Clock in milliseconds that never goes back. */
  readonly now: () => number;
}

/** How far above the mean of recent requests a server must be to lose a binding: moving one costs its cache. */
const MARGIN = 1.1;

/**
 * Evens out what instances were given lately. Nobody knows how much a conversation will ask for when it begins, and most
 * begin while instances have as little in flight as each other. So those that have had few requests lately come first among
 * equally loaded ones, and a conversation that comes back after a long pause, when its cache is worth least, moves there if
 * its home has had more than its share. Not a rule of TensorRT-LLM.
 */
export class Rebalancing {
  readonly #recent: RecentRequests;

  constructor(
    private readonly pool: ServerPool,
    private readonly options: RebalancingOptions,
  ) {
    this.#recent = new RecentRequests(options.idleMs, options.now);
  }

  /** The server is given a request. */
  given(server: Server): void {
    this.#recent.add(server);
  }

  /** Of the servers outside `exclude` with the least load, the one with the fewest recent requests; null when all are excluded. */
  leastLoaded(exclude: ReadonlySet<string>): Server | null {
    const least = this.pool.tiedForLeast(exclude, 0);
    if (least === null) return null;
    const tied = this.pool.live().filter(({ name, load }) => load === least.load && !exclude.has(name));
    return this.#fewest(tied);
  }

  /** Where a binding moves whose home it was and that was not used for `idleMs`; null: it stays. */
  moveFrom(home: Server, idleMs: number, exclude: ReadonlySet<string>): Server | null {
    if (idleMs < this.options.idleMs) return null;
    const servers = this.pool.live();
    const mean = servers.reduce((sum, server) => sum + this.#recent.of(server), 0) / servers.length;
    if (this.#recent.of(home) <= MARGIN * mean) return null;
    const server = this.leastLoaded(exclude);
    return server !== null && this.#recent.of(server) < this.#recent.of(home) ? server : null;
  }

  #fewest(servers: readonly Server[]): Server | null {
    let fewest: Server | null = null;
    for (const server of servers)
      if (fewest === null || this.#recent.of(server) < this.#recent.of(fewest)) fewest = server;
    return fewest;
  }
}

import { LeastTree } from './least-tree.js';
import { NO_PLACE, Server } from './server.js';

/**
 * The live servers of one fleet in the order in which they were added, and the choice of the least loaded one, in time
 * logarithmic to their number.
 */
export class ServerPool {
  readonly #servers: Server[] = [];
  readonly #byName = new Map<string, Server>();
  #loads = new LeastTree([]);
  #selections = 0;

  /** Number of live servers. */
  get size(): number {
    return this.#servers.length;
  }

  /** Starts a life of a server with no load; no effect when it is live. */
  add(name: string): void {
    if (this.#byName.has(name)) return;
    const server = new Server(name, ({ place, load }) => {
      if (place !== NO_PLACE) this.#loads.set(place, load);
    });
    this.#servers.push(server);
    this.#byName.set(name, server);
    this.#arrange();
  }

  /** Ends the server's life; no effect when it is not live. */
  remove(name: string): void {
    const server = this.#byName.get(name);
    if (server === undefined) return;
    this.#byName.delete(name);
    this.#servers.splice(server.place, 1);
    server.place = NO_PLACE;
    this.#arrange();
  }

  /** The server of this name, if it is live. */
  get(name: string): Server | undefined {
    return this.#byName.get(name);
  }

  /** The server at this position in the order of adding; undefined outside 0..size-1. */
  at(index: number): Server | undefined {
    return this.#servers[index];
  }

  /**
   * The server with the least load outside `exclude`, or null. Servers with equal load take turns in the order of
   * adding, by one counter of all selections (reference 2.2).
   */
  leastLoaded(exclude: ReadonlySet<string>): Server | null {
    const server = this.tiedForLeast(exclude, this.#selections);
    if (server !== null) this.#selections++;
    return server;
  }

  /**
   * Of the servers outside `exclude` that are tied for the least load the one whose turn it is, in the order of adding;
   * null when all are excluded. Any number is a turn: they begin anew after the last.
   */
  tiedForLeast(exclude: ReadonlySet<string>, turn: number): Server | null {
    if (exclude.size > 0) this.#setLoads(exclude, () => Infinity);
    const { tied } = this.#loads;
    const server = tied === 0 ? null : (this.#servers[this.#loads.positionOf(turn % tied)] ?? null);
    if (exclude.size > 0) this.#setLoads(exclude, ({ load }) => load);
    return server;
  }

  /** The live servers in the order of adding. */
  live(): readonly Server[] {
    return this.#servers;
  }

  /** The names of the live servers in the order of adding. */
  names(): string[] {
    return this.#servers.map(({ name }) => name);
  }

  /** Load by name, in the order of adding. */
  loads(): Map<string, number> {
    return new Map(this.#servers.map(({ name, load }) => [name, load]));
  }

  #setLoads(names: ReadonlySet<string>, loadOf: (server: Server) => number): void {
    for (const name of names) {
      const server = this.#byName.get(name);
      if (server !== undefined) this.#loads.set(server.place, loadOf(server));
    }
  }

  #arrange(): void {
    for (const [place, server] of this.#servers.entries()) server.place = place;
    this.#loads = new LeastTree(this.#servers.map(({ load }) => load));
  }
}

/** One life of a server in a fleet; a server that is removed and added again is another object. */
export class Server {
  /** Load in flight, in the unit of the router that keeps it. */
  load = 0;

  constructor(readonly name: string) {}
}

/** The live servers of one fleet in the order in which they were added, and the choice of the least loaded one. */
export class ServerPool {
  readonly #servers: Server[] = [];
  readonly #byName = new Map<string, Server>();
  #selections = 0;

  /** Number of live servers. */
  get size(): number {
    return this.#servers.length;
  }

  /** Starts a life of a server with no load; no effect when it is live. */
  add(name: string): void {
    if (this.#byName.has(name)) return;
    const server = new Server(name);
    this.#servers.push(server);
    this.#byName.set(name, server);
  }

  /** Ends the server's life; no effect when it is not live. */
  remove(name: string): void {
    const server = this.#byName.get(name);
    if (server === undefined) return;
    this.#byName.delete(name);
    this.#servers.splice(this.#servers.indexOf(server), 1);
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
    let least = Infinity;
    let tied = 0;
    for (const server of this.#servers) {
      if (server.load > least || exclude.has(server.name)) continue;
      tied = server.load === least ? tied + 1 : 1;
      least = server.load;
    }
    let turn = tied === 0 ? 0 : this.#selections++ % tied;
    let chosen: Server | null = null;
    for (const server of this.#servers) {
      if (server.load !== least || exclude.has(server.name)) continue;
      if (turn-- === 0) chosen = server;
    }
    return chosen;
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
}

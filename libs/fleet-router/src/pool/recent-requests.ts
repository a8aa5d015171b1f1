import { type Server } from './server.js';

/** How many requests each server was given lately: a request counts less the older it is, by a factor of e a window. */
export class RecentRequests {
  /** By one life of a server; a new one has been given nothing. */
  readonly #counts = new WeakMap<Server, { readonly count: number; readonly at: number }>();

  /** @param window and clock in milliseconds; the clock never goes back */
  constructor(
    private readonly window: number,
    private readonly now: () => number,
  ) {}

  /** The server is given a request. */
  add(server: Server): void {
    this.#counts.set(server, { count: this.of(server) + 1, at: this.now() });
  }

  /** At least 0. */
  of(server: Server): number {
    const known = this.#counts.get(server);
    return known === undefined ? 0 : known.count * Math.exp((known.at - this.now()) / this.window);
  }
}

import { type Decision, type Placement } from '../ports/fleet-router.js';

import { type Server } from './server.js';

/** A placement that holds load on one life of a server until it is released. */
export class Reservation implements Placement {
  readonly #server: Server;
  #weight: number;

  /** Adds `weight`, a number of at least 0, to the server's load. */
  constructor(
    server: Server,
    weight: number,
    readonly decision: Decision,
    readonly reason: string,
    readonly routingKey: string | null,
  ) {
    this.#server = server;
    this.#weight = weight;
    server.add(weight);
  }

  get server(): string {
    return this.#server.name;
  }

  /** Takes the weight off the same life of the server; once, however often it is called. */
  release(): void {
    this.#server.add(-this.#weight);
    this.#weight = 0;
  }
}

import { type FleetRouter, type Placement, type RouteRequest } from '../ports/fleet-router.js';

import { Reservation } from './reservation.js';
import { ServerPool } from './server-pool.js';

/** What all routers here share: a pool of servers, and placements that reserve load in it. */
export abstract class PooledRouter implements FleetRouter {
  abstract readonly type: string;
  protected readonly pool = new ServerPool();

  /** Starts with these servers, in this order. */
  constructor(servers: Iterable<string> = []) {
    for (const server of servers) this.pool.add(server);
  }

  abstract route(request: RouteRequest, exclude?: ReadonlySet<string>): Placement | null;

  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- the port's; no router here learns from it
  finish(placement: Placement, _success: boolean): void {
    if (!(placement instanceof Reservation)) throw new TypeError('finish: not a placement that a router made');
    placement.release();
  }

  addServer(server: string): void {
    this.pool.add(server);
  }

  removeServer(server: string): void {
    this.pool.remove(server);
  }

  servers(): readonly string[] {
    return this.pool.names();
  }

  loads(): ReadonlyMap<string, number> {
    return this.pool.loads();
  }
}

/** The default of `exclude`: no server. */
export const NO_SERVER: ReadonlySet<string> = new Set();

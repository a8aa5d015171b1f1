import { NO_SERVER, PooledRouter } from '../pool/pooled-router.js';
import { Reservation } from '../pool/reservation.js';
import { type Placement, type RouteRequest } from '../ports/fleet-router.js';

/**
 * Servers take turns, whatever the request (reference 2.1). Excluded ones lose their turn; the turn is not reset when
 * the servers change. Keeps no load: `loads` answers zeros.
 */
export class RoundRobinRouter extends PooledRouter {
  readonly type = 'round_robin';
  #turn = 0;

  route(_request: RouteRequest, exclude: ReadonlySet<string> = NO_SERVER): Placement | null {
    for (let tried = 0; tried < this.pool.size; tried++) {
      const server = this.pool.at(this.#turn++ % this.pool.size);
      if (server !== undefined && !exclude.has(server.name))
        return new Reservation(server, 0, 'new', 'next in turn', null);
    }
    return null;
  }
}

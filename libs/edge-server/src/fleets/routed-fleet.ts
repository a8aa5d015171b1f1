import type { Fleet, Instance } from '@roost/fleet';
import { type FleetRouter, type Placement, type RouteRequest, UnweighableRequestError } from '@roost/fleet-router';
import { RoostError } from '@roost/protocol';

/** An instance chosen for one attempt of a leg, and the load reserved on it. */
export interface Reservation {
  readonly instance: Instance;
  readonly placement: Placement;
  /** Gives the load back, once. */
  release(success: boolean): void;
}

/** A fleet and the router that places requests on it. */
export class RoutedFleet {
  /** @param affinity whether a sub-agent's request goes to its parent's instance here */
  constructor(
    readonly fleet: Fleet,
    readonly router: FleetRouter,
    readonly affinity: boolean,
  ) {}

  /**
   * Chooses an instance that serves and is not in `tried`, and reserves load on it. Null when there is none.
   *
   * @param request with the parent session, if any; it is ignored where affinity does not apply
   */
  place(request: RouteRequest, tried: ReadonlySet<string>): Reservation | null {
    const excluded = this.fleet.notServing().union(tried);
    const subagentAffinityId = this.affinity ? request.subagentAffinityId : null;
    const placement = this.route({ ...request, subagentAffinityId }, excluded);
    const instance = placement === null ? undefined : this.fleet.get(placement.server);
    if (placement === null || instance === undefined) return null;
    let held = true;
    return {
      instance,
      placement,
      release: (success) => {
        if (!held) return;
        held = false;
        this.router.finish(placement, success);
      },
    };
  }

  private route(request: RouteRequest, excluded: ReadonlySet<string>): Placement | null {
    try {
      return this.router.route(request, excluded);
    } catch (error) {
      if (!(error instanceof UnweighableRequestError)) throw error;
      throw new RoostError('invalid_request', error.message, { cause: error });
    }
  }
}

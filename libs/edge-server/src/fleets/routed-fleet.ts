import type { Fleet, Instance } from '@roost/fleet';
import { type FleetRouter, type Placement, type RouteRequest, UnweighableRequestError } from '@roost/fleet-router';
import type { PrefixIndex } from '@roost/prefix-index';
import type { PromptTokens } from '@roost/prompt-pool';
import { RoostError } from '@roost/protocol';

import { LegAttempt } from '../request/leg-attempt.js';

/**
 * What a router wants to know a prompt's tokens for: to compare its blocks with those that instances hold, or to tell by its
 * content which session it continues.
 */
export type TokenUse = 'blocks' | 'content';

/** What a leg is placed by: what its router may know of the request, and the prompt in tokens where that is known. */
export interface LegRoute extends RouteRequest {
  readonly prompt: PromptTokens | null;
}

/** An instance chosen for one attempt of a leg, and the load reserved on it. */
export interface Reservation {
  readonly instance: Instance;
  readonly placement: Placement;
  readonly attempt: LegAttempt;
  /** Gives the load back, once. */
  release(success: boolean): void;
}

/** What a fleet has beside its router; each may be absent. */
export interface RoutedFleetExtras {
  /** What the router wants to know a prompt's tokens for, if it does. */
  readonly tokensFor?: TokenUse | null;
  readonly prefixIndex?: PrefixIndex | null;
  /** Whether to keep, with each choice, how the fleet looked. */
  readonly keepsViews?: boolean;
}

/** A fleet and the router that places requests on it. */
export class RoutedFleet {
  readonly tokensFor: TokenUse | null;
  readonly prefixIndex: PrefixIndex | null;
  private readonly keepsViews: boolean;
  private readonly runningOn = new Map<string, number>();

  /**
   * @param affinity whether a sub-agent's request goes to its parent's instance here
   */
  constructor(
    readonly fleet: Fleet,
    readonly router: FleetRouter,
    readonly affinity: boolean,
    { tokensFor = null, prefixIndex = null, keepsViews = false }: RoutedFleetExtras = {},
  ) {
    this.tokensFor = tokensFor;
    this.prefixIndex = prefixIndex;
    this.keepsViews = keepsViews;
  }

  /** Legs of this edge that have a place on a server. */
  running(server: string): number {
    return this.runningOn.get(server) ?? 0;
  }

  /** Tokens of a block on the instances of this fleet, which all have the same; null before one has been reached. */
  get blockSize(): number | null {
    return this.fleet.instances.find(({ info }) => info !== null)?.info?.tokensPerBlock ?? null;
  }

  /**
   * Chooses an instance that serves and is not in `tried`, and reserves load on it. Null when there is none.
   *
   * @param route with the parent session, if any; it is ignored where affinity does not apply
   * @throws RoostError `invalid_request` for a request that the router cannot weigh
   */
  place(route: LegRoute, tried: ReadonlySet<string>): Reservation | null {
    const excluded = this.fleet.notServing().union(tried);
    const view = this.keepsViews ? { loads: new Map(this.router.loads()), excluded } : null;
    const placement = this.route(this.knownHere(route), excluded);
    const instance = placement === null ? undefined : this.fleet.get(placement.server);
    if (placement === null || instance === undefined) return null;
    const { server } = instance;
    this.runningOn.set(server, this.running(server) + 1);
    let held = true;
    return {
      instance,
      placement,
      attempt: new LegAttempt(this.fleet.role, server, placement, view),
      release: (success) => {
        if (!held) return;
        held = false;
        this.runningOn.set(server, this.running(server) - 1);
        this.router.finish(placement, success);
      },
    };
  }

  private knownHere({ prompt, ...route }: LegRoute): RouteRequest {
    const subagentAffinityId = this.affinity ? route.subagentAffinityId : null;
    if (this.tokensFor === null || prompt === null) return { ...route, subagentAffinityId };
    if (this.tokensFor === 'content') return { ...route, subagentAffinityId, promptTokenIds: prompt.tokens };
    return {
      ...route,
      subagentAffinityId,
      numTokens: prompt.tokens.length,
      blockHashes: prompt.blockHashes.get(this.blockSize ?? 0) ?? null,
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

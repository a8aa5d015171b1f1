import { NO_SERVER, PooledRouter } from '../pool/pooled-router.js';
import { Reservation } from '../pool/reservation.js';
import { type Placement, type RouteRequest } from '../ports/fleet-router.js';

/** A request that a router cannot weigh as it is configured to; the client's request is at fault, not the fleet. */
export class UnweighableRequestError extends Error {
  override readonly name = 'UnweighableRequestError';
}

/** How load is counted. */
export interface LoadBalancingOptions {
  /** Count prompt tokens (characters, for a text prompt) in flight in place of requests. */
  readonly useTokens: boolean;
}

/** The server with the least in flight; ties take turns (reference 2.2). */
export class LoadBalancingRouter extends PooledRouter {
  readonly type = 'load_balancing';

  constructor(
    servers: Iterable<string>,
    private readonly options: LoadBalancingOptions,
  ) {
    super(servers);
  }

  /** With `useTokens`, throws an UnweighableRequestError for chat and for a leg without a prompt. */
  route(request: RouteRequest, exclude: ReadonlySet<string> = NO_SERVER): Placement | null {
    const weight = this.options.useTokens ? promptSize(request) : 1;
    const server = this.pool.leastLoaded(exclude);
    if (server === null) return null;
    return new Reservation(server, weight, 'new', 'least loaded', null);
  }
}

function promptSize(request: RouteRequest): number {
  if (request.completion !== true)
    throw new UnweighableRequestError('load_balancing with use_tokens can weigh completions prompts only');
  return request.promptTokenIds?.length ?? request.textChars;
}

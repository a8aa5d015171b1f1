import { RoostError } from '@roost/protocol';

import type { LegRoute, Reservation, RoutedFleet } from '../fleets/routed-fleet.js';
import type { ServedRequest } from '../request/served-request.js';

import { placeLeg, placeOnceServed } from './place-leg.js';

/** How often a leg may be tried, besides the first time. */
export interface RetryBudget {
  /** After an error that another instance may not make (`max_retries`). */
  readonly onError: number;
  /** After an instance was lost (reference 4.4). */
  readonly onLoss: number;
}

/** An attempt that went through. */
export interface LegSuccess<T> {
  readonly value: T;
  readonly reservation: Reservation;
  readonly attempts: number;
}

/** What is decided before a leg's first attempt. */
export interface FirstChoice {
  /** An instance that is chosen only where there is no other. */
  readonly avoid?: string | undefined;
  /** Load that is reserved already; the first attempt goes there. */
  readonly reserved?: Reservation | null;
}

/**
 * Runs a leg on the instance that the fleet's router chooses, and, when that fails in a way that another instance may not,
 * on another; where all were lost, on one that serves again in a moment. Load is reserved before each attempt and given back
 * when the attempt fails; a successful attempt's load is given back by whoever called, or when the request settles.
 *
 * @throws RoostError: `no_instance` when none serves, else what the last attempt failed with
 */
export async function runLeg<T>(
  routed: RoutedFleet,
  request: ServedRequest,
  route: LegRoute,
  budget: RetryBudget,
  attempt: (reservation: Reservation) => Promise<T>,
  first: FirstChoice = {},
): Promise<LegSuccess<T>> {
  const tried = new Set<string>(first.avoid === undefined ? [] : [first.avoid]);
  let lastError: RoostError | null = null;
  for (let attempts = 1; ; attempts += 1) {
    request.signal.throwIfAborted();
    const reserved = attempts === 1 ? first.reserved : null;
    const reservation = reserved ?? (await placeAnew(routed, request, route, tried));
    if (reservation === null) throw lastError ?? noInstance(routed);
    const giveBack = request.owe(() => reservation.release(false));
    try {
      return { value: await attempt(reservation), reservation, attempts };
    } catch (error) {
      giveBack();
      reservation.attempt.end(asRoostError(error).code);
      request.signal.throwIfAborted();
      lastError = noteFailure(routed, reservation, error);
      if (!mayRetry(lastError, attempts, budget)) throw lastError;
      tried.add(reservation.instance.server);
    }
  }
}

function noteFailure({ fleet }: RoutedFleet, { instance }: Reservation, thrown: unknown): RoostError {
  const error = asRoostError(thrown);
  if (error.code === 'worker_unavailable') fleet.suspect(instance);
  return error;
}

/** Another instance than those tried; when there is no other, any that serves, or does so in a moment. */
async function placeAnew(
  routed: RoutedFleet,
  request: ServedRequest,
  route: LegRoute,
  tried: Set<string>,
): Promise<Reservation | null> {
  const reservation = placeLeg(routed, request, route, tried);
  if (reservation !== null) return reservation;
  const repeated = tried.size === 0 ? null : placeLeg(routed, request, route, new Set());
  tried.clear();
  return repeated ?? (await placeOnceServed(routed, request, route));
}

function mayRetry(error: RoostError, attempts: number, budget: RetryBudget): boolean {
  // Only whoever ran the context leg can bring back a cache that is gone.
  if (!error.kind.retryable || error.code === 'kv_cache_gone') return false;
  const lost = error.code === 'worker_unavailable';
  return attempts <= (lost ? Math.max(budget.onError, budget.onLoss) : budget.onError);
}

function noInstance({ fleet }: RoutedFleet): RoostError {
  return new RoostError('no_instance', `no ${fleet.role} instance is serving: retry later`);
}

/** Anything unexpected as `internal`, which tells the client nothing. */
export function asRoostError(error: unknown): RoostError {
  return error instanceof RoostError ? error : new RoostError('internal', 'internal error', { cause: error });
}

import type { LegRoute, Reservation, RoutedFleet } from '../fleets/routed-fleet.js';
import type { ServedRequest } from '../request/served-request.js';

/**
 * Has a fleet's router choose an instance for an attempt at a leg, and takes note of it. Null when there is none.
 *
 * @throws RoostError `invalid_request` for a request that the router cannot weigh
 */
export function placeLeg(
  routed: RoutedFleet,
  request: ServedRequest,
  route: LegRoute,
  tried: ReadonlySet<string>,
): Reservation | null {
  const { role } = routed.fleet;
  const at = performance.now();
  const reservation = routed.place(route, tried);
  const span = request.span.child(`place ${role}`, { at });
  if (reservation === null) {
    span.end('no_instance');
    return null;
  }
  const { attempt, placement } = reservation;
  const { decision, reason, server } = placement;
  span.set({ 'roost.decision': decision, 'roost.reason': reason, 'roost.instance': server });
  span.end('ok');
  request.record.attempts.push(attempt);
  request.owe(() => attempt.end(request.record.error?.code ?? 'unused'));
  return reservation;
}

/**
 * Places a leg where no instance serves, and waits for one a moment: only where the request has lost an instance, so that
 * what a fleet that was cut off had in hand goes on, and does not pile up in front of one that is gone. Else, and when the
 * moment has passed, null.
 *
 * @throws what the request's signal aborts with
 */
export async function placeOnceServed(
  routed: RoutedFleet,
  request: ServedRequest,
  route: LegRoute,
): Promise<Reservation | null> {
  if (!request.record.attempts.some(({ outcome }) => outcome === 'worker_unavailable')) return null;
  const serves = await routed.fleet.servesSoon(request.signal);
  request.signal.throwIfAborted();
  return serves ? placeLeg(routed, request, route, new Set()) : null;
}

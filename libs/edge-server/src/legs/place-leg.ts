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

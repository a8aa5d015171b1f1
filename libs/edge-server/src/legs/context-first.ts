import type { Fleets } from '../fleets/fleets.js';
import type { Reservation } from '../fleets/routed-fleet.js';
import type { ServedRequest } from '../request/served-request.js';

import { runContextLeg } from './context-leg.js';
import { beginGeneration, startFrom, startWhole } from './generation-leg.js';
import { legRouteOf } from './leg-fields.js';
import type { LegParts } from './leg-parts.js';
import { placeLeg } from './place-leg.js';
import { completeRound, type Round } from './round.js';

/**
 * One way through the legs in the order context, generation (reference 3.2). Without a context fleet, and where a
 * generation instance holds almost the whole prompt already, the generation worker serves the request whole.
 *
 * @param generated what a lost instance made of the answer already
 */
export async function contextFirst(
  parts: LegParts,
  fleets: Fleets,
  request: ServedRequest,
  generated: readonly number[],
): Promise<Round> {
  const { context, generation } = fleets;
  const reserved = context === null ? null : reserveByCache(parts, fleets, request);
  if (context === null || (reserved !== null && needsNoContext(parts, reserved))) {
    const start = startWhole(request, generated, reserved);
    return { kind: 'begun', begun: await beginGeneration(parts, generation, request, start), cache: null };
  }
  const prefilled = await runContextLeg(parts, context, request, reserved?.instance.server);
  const complete = completeRound(prefilled, request);
  if (complete !== null) return complete;
  const start = startFrom(parts, request, prefilled, generated, reserved);
  const { cache } = prefilled;
  try {
    return { kind: 'begun', begun: await beginGeneration(parts, generation, request, start), cache };
  } catch (error) {
    cache.giveUp();
    throw error;
  }
}

/** With conditional disaggregation the generation instance is chosen first; it is given back when the request ends, if not before. */
function reserveByCache(parts: LegParts, { generation }: Fleets, request: ServedRequest): Reservation | null {
  if (parts.maxLocalPrefillLength === null) return null;
  const reserved = placeLeg(generation, request, legRouteOf(request, true), new Set());
  if (reserved !== null) request.owe(() => reserved.release(false));
  return reserved;
}

function needsNoContext({ maxLocalPrefillLength }: LegParts, { placement }: Reservation): boolean {
  const { matchedTokens = 0, numTokens = 0 } = placement;
  return matchedTokens > 0 && maxLocalPrefillLength !== null && numTokens - matchedTokens <= maxLocalPrefillLength;
}

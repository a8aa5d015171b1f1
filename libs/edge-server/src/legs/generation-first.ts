import { type PrefillResponse, RoostError } from '@roost/protocol';

import type { Fleets } from '../fleets/fleets.js';
import type { Reservation, RoutedFleet } from '../fleets/routed-fleet.js';
import type { ServedRequest } from '../request/served-request.js';

import { newAttempt, prefill, type PrefillAttempt, prefilledBy } from './context-leg.js';
import { type Begun, beginGeneration, type GenerationStart, startWhole } from './generation-leg.js';
import { legRouteOf } from './leg-fields.js';
import type { LegParts } from './leg-parts.js';
import { placeLeg, placeOnceServed } from './place-leg.js';
import { completeRound, type Round } from './round.js';
import { asRoostError } from './run-leg.js';

/**
 * One way through the legs with both started together (reference 3.3): the generation worker makes ready and waits for the
 * cache that the context worker is still computing. When the context leg fails, or its answer is the whole, the generation
 * leg is ended.
 *
 * @param generated what a lost instance made of the answer already
 */
export async function generationFirst(
  parts: LegParts,
  { context, generation }: Fleets,
  request: ServedRequest,
  generated: readonly number[],
): Promise<Round> {
  if (context === null) {
    const begun = await beginGeneration(parts, generation, request, startWhole(request, generated, null));
    return { kind: 'begun', begun, cache: null };
  }
  const chosen = await chooseContext(context, request);
  const endGeneration = new AbortController();
  const signal = AbortSignal.any([request.signal, endGeneration.signal]);
  const attempt = newAttempt(parts);
  const start = startTogether(parts, chosen, attempt, generated, signal);
  const beginning = beginGeneration(parts, generation, request, start);
  const outcome = beginning.then(
    (begun) => ({ begun }),
    (error: unknown) => ({ error: asRoostError(error) }),
  );
  try {
    const answer = await contextAnswer(parts, context, request, chosen, attempt);
    const prefilled = prefilledBy(parts, request, chosen, answer, 1);
    const complete = completeRound(prefilled, request);
    if (complete !== null) {
      await end(endGeneration, outcome);
      return complete;
    }
    const settled = await outcome;
    if ('error' in settled) {
      prefilled.cache.giveUp();
      throw settled.error;
    }
    return { kind: 'begun', begun: settled.begun, cache: prefilled.cache };
  } catch (error) {
    await end(endGeneration, outcome);
    throw error;
  }
}

async function chooseContext(context: RoutedFleet, request: ServedRequest): Promise<Reservation> {
  const route = legRouteOf(request, true);
  const chosen = placeLeg(context, request, route, new Set()) ?? (await placeOnceServed(context, request, route));
  if (chosen === null) throw new RoostError('no_instance', 'no context instance is serving: retry later');
  request.owe(() => chosen.release(false));
  return chosen;
}

/** Both legs get the request id and the state that the cache will be held under. */
function startTogether(
  parts: LegParts,
  { instance }: Reservation,
  { disaggRequestId, encodedOpaqueState }: PrefillAttempt,
  generated: readonly number[],
  signal: AbortSignal,
): GenerationStart {
  return {
    params: (attempt) => ({
      requestType: 'generation_only',
      firstGenTokens: [],
      ctxRequestId: disaggRequestId,
      disaggRequestId: attempt === 1 ? disaggRequestId : parts.ids.next(),
      encodedOpaqueState,
      ctxInfoEndpoint: instance.info?.ctxInfoEndpoint,
      scheduleStyle: 'generation_first',
      ctxUsage: undefined,
    }),
    promptTokenIds: null,
    generated,
    choice: { avoid: instance.server },
    signal,
  };
}

async function contextAnswer(
  parts: LegParts,
  context: RoutedFleet,
  request: ServedRequest,
  chosen: Reservation,
  attempt: PrefillAttempt,
): Promise<PrefillResponse> {
  try {
    const answer = await prefill(parts, context, request, chosen, attempt);
    chosen.release(true);
    chosen.attempt.end('ok');
    return answer;
  } catch (thrown) {
    const error = asRoostError(thrown);
    chosen.release(false);
    chosen.attempt.end(error.code);
    if (error.code === 'worker_unavailable') context.fleet.suspect(chosen.instance);
    throw error;
  }
}

/** Ends the generation leg, however far it has come, and waits until it has. */
async function end(ending: AbortController, outcome: Promise<{ begun: Begun } | { error: RoostError }>): Promise<void> {
  ending.abort(new RoostError('client_closed_request', 'the context leg has ended the request'));
  const settled = await outcome;
  if (!('begun' in settled)) return;
  await settled.begun.rest.return();
  settled.begun.end(false);
}

import { giveBack } from '@roost/held-bytes';
import {
  encodeOpaqueState,
  makeOpaqueState,
  PREFILL,
  type PrefillRequest,
  type PrefillResponse,
  RoostError,
} from '@roost/protocol';

import type { Reservation, RoutedFleet } from '../fleets/routed-fleet.js';
import type { LegRecord, ServedRequest } from '../request/served-request.js';

import { beginLegSpan } from './begin-leg-span.js';
import { freeCache } from './held-cache.js';
import { legFieldsOf, legRouteOf } from './leg-fields.js';
import type { LegParts } from './leg-parts.js';
import { asRoostError, runLeg } from './run-leg.js';
import { isWholeAnswer } from './whole-answer.js';

/**
 * The cache that a context worker holds for a generation leg. A generation worker that has taken it over says so to the
 * context worker, but may be lost before it does: only the end of its answer settles the matter.
 */
export interface OwedCache {
  /** Says that the cache has been taken over, and need not be freed from here. */
  handedOver(): void;
  /** Frees the cache now, unless it was handed over: nobody will take it over any more. */
  giveUp(): void;
}

/** A prompt that has been computed, and whose cache is held for the generation leg unless the answer is complete. */
export interface Prefilled {
  readonly answer: PrefillResponse;
  /** The context instance, which the generation leg avoids. */
  readonly server: string;
  readonly cache: OwedCache;
}

/** What tells one attempt of a context leg from another. */
export interface PrefillAttempt {
  readonly disaggRequestId: bigint;
  /** The state to hold the cache under: made here, so that a cache can be freed whose answer has not arrived. */
  readonly encodedOpaqueState: string;
}

/** An attempt that differs from every other. */
export function newAttempt({ ids }: LegParts): PrefillAttempt {
  const disaggRequestId = ids.next();
  return { disaggRequestId, encodedOpaqueState: encodeOpaqueState(makeOpaqueState(disaggRequestId)) };
}

/**
 * Has a context worker compute the prompt and sample the first token.
 *
 * @param avoid an instance that is chosen only where there is no other
 */
export async function runContextLeg(
  parts: LegParts,
  routed: RoutedFleet,
  request: ServedRequest,
  avoid: string | undefined,
): Promise<Prefilled> {
  const attempt = (chosen: Reservation): Promise<PrefillResponse> =>
    prefill(parts, routed, request, chosen, newAttempt(parts));
  const route = legRouteOf(request, true);
  const { value, reservation, attempts } = await runLeg(routed, request, route, parts.budget, attempt, { avoid });
  reservation.release(true);
  reservation.attempt.end('ok');
  return prefilledBy(parts, request, reservation, value, attempts);
}

/** Calls a context worker, once. A cache that it may hold although no answer says so is freed. */
export async function prefill(
  { signer, scheduleStyle }: LegParts,
  routed: RoutedFleet,
  request: ServedRequest,
  { instance, attempt }: Reservation,
  { disaggRequestId, encodedOpaqueState }: PrefillAttempt,
): Promise<PrefillResponse> {
  const message: PrefillRequest = {
    ...legFieldsOf(request),
    disaggregatedParams: {
      requestType: 'context_only',
      firstGenTokens: [],
      disaggRequestId,
      encodedOpaqueState,
      ctxUsage: undefined,
      scheduleStyle,
    },
  };
  const { identity, client } = request;
  const { conversationId, subagentAffinityId } = identity;
  const claim = {
    role: 'CONTEXT',
    model: client.model,
    conversationId,
    subagentAffinityId: routed.affinity ? subagentAffinityId : null,
    requestType: 'context_only',
    disaggRequestId,
  } as const;
  const metadata = signer.metadataFor(claim, { ctxInfoEndpoint: null, encodedOpaqueState });
  instance.address(metadata);
  beginLegSpan(request, attempt, metadata);
  try {
    const answer = await instance.legs.unary(PREFILL, message, metadata, request);
    requireHandoff(answer, request);
    return answer;
  } catch (error) {
    if (mayHoldCache(error, request)) {
      const ctxInfoEndpoint = instance.info?.ctxInfoEndpoint ?? instance.server;
      freeCache(signer, instance, { ctxRequestId: disaggRequestId, encodedOpaqueState, ctxInfoEndpoint });
    }
    throw error;
  }
}

/** Whether a worker may have computed a prompt whose answer is lost: it may have been on its way when the call ended. */
function mayHoldCache(error: unknown, { signal }: ServedRequest): boolean {
  const { code } = asRoostError(error);
  return signal.aborted || code === 'worker_unavailable' || code === 'deadline_exceeded' || code === 'internal';
}

/** Takes note of a context leg that went through; its cache is owed to the worker until it is handed over. */
export function prefilledBy(
  parts: LegParts,
  request: ServedRequest,
  reservation: Reservation,
  answer: PrefillResponse,
  attempts: number,
): Prefilled {
  request.record.context = recordOf(reservation, answer, attempts);
  request.record.usage = answer.usage ?? null;
  const { server } = reservation.instance;
  request.owe(() => giveBack(answer.promptTokenIds));
  return { answer, server, cache: oweCache(parts, request, reservation, answer) };
}

function recordOf({ instance, placement }: Reservation, answer: PrefillResponse, attempts: number): LegRecord {
  const { decision, reason, routingKey } = placement;
  const { rank, timing = null, rankChoice = null } = answer;
  return { instance: instance.server, decision, reason, routingKey, attempts, rank, timing, rankChoice };
}

/** @throws RoostError `internal` when a pending answer lacks what the generation leg needs (reference 3.2) */
function requireHandoff(answer: PrefillResponse, { client }: ServedRequest): void {
  if (isWholeAnswer(answer, client)) return;
  const { ctxRequestId, disaggRequestId, ctxInfoEndpoint, encodedOpaqueState } = answer.disaggregatedParams ?? {};
  if ([ctxRequestId, disaggRequestId, ctxInfoEndpoint, encodedOpaqueState].includes(undefined)) {
    throw new RoostError('internal', 'the context worker answered without a handoff');
  }
}

/** The cache is freed when the request ends before a generation worker has taken it over, or when it is given up. */
function oweCache(
  { signer }: LegParts,
  request: ServedRequest,
  { instance }: Reservation,
  { disaggregatedParams: params }: PrefillResponse,
): OwedCache {
  const { ctxRequestId, encodedOpaqueState, ctxInfoEndpoint } = params ?? {};
  if (ctxRequestId === undefined || encodedOpaqueState === undefined || ctxInfoEndpoint === undefined) {
    return { handedOver: () => undefined, giveUp: () => undefined };
  }
  let wanted = true;
  const giveUp = request.owe(() => {
    if (wanted) freeCache(signer, instance, { ctxRequestId, encodedOpaqueState, ctxInfoEndpoint });
  });
  const handedOver = (): void => {
    wanted = false;
  };
  return { handedOver, giveUp };
}

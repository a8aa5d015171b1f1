import { callUnary } from '@roost/grpc-transport';
import { FinishReason, type PrefillRequest, type PrefillResponse, RoostError } from '@roost/protocol';

import type { Reservation, RoutedFleet } from '../fleets/routed-fleet.js';
import type { LegRecord, ServedRequest } from '../request/served-request.js';

import { beginLegSpan } from './begin-leg-span.js';
import { legFieldsOf, legRouteOf } from './leg-fields.js';
import type { LegParts } from './leg-parts.js';
import { runLeg } from './run-leg.js';

/** A prompt that has been computed, and whose cache is held for the generation leg unless the answer is complete. */
export interface Prefilled {
  readonly answer: PrefillResponse;
  /** The context instance, which the generation leg avoids. */
  readonly server: string;
  /** Says that the cache has been taken over, and need not be freed from here. */
  handedOver(): void;
}

/** What tells one attempt of a context leg from another. */
export interface PrefillAttempt {
  readonly disaggRequestId: bigint;
  /** The state to hold the cache under, where the generation leg has been given it already. */
  readonly encodedOpaqueState: string | null;
  readonly signal: AbortSignal;
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
  const attempt = (chosen: Reservation): Promise<PrefillResponse> => {
    const once = { disaggRequestId: parts.ids.next(), encodedOpaqueState: null, signal: request.signal };
    return prefill(parts, routed, request, chosen, once);
  };
  const route = legRouteOf(request, true);
  const { value, reservation, attempts } = await runLeg(routed, request, route, parts.budget, attempt, { avoid });
  reservation.release(true);
  reservation.attempt.end('ok');
  return prefilledBy(parts, request, reservation, value, attempts);
}

/** Calls a context worker, once. */
export async function prefill(
  { signer, scheduleStyle }: LegParts,
  routed: RoutedFleet,
  request: ServedRequest,
  { instance, attempt }: Reservation,
  { disaggRequestId, encodedOpaqueState, signal }: PrefillAttempt,
): Promise<PrefillResponse> {
  const message: PrefillRequest = {
    ...legFieldsOf(request),
    disaggregatedParams: {
      requestType: 'context_only',
      firstGenTokens: [],
      disaggRequestId,
      encodedOpaqueState: encodedOpaqueState ?? undefined,
      ctxUsage: undefined,
      scheduleStyle,
    },
  };
  const { conversationId, subagentAffinityId } = request.identity;
  const claim = {
    role: 'CONTEXT',
    model: request.client.model,
    conversationId,
    subagentAffinityId: routed.affinity ? subagentAffinityId : null,
    requestType: 'context_only',
    disaggRequestId,
  } as const;
  const handoff = encodedOpaqueState === null ? null : { ctxInfoEndpoint: null, encodedOpaqueState };
  const metadata = signer.metadataFor(claim, handoff);
  beginLegSpan(request, attempt, metadata);
  const { deadline } = request;
  const answer = await callUnary(instance.legs.prefill.bind(instance.legs), message, metadata, { signal, deadline });
  requireHandoff(answer);
  return answer;
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
  return { answer, server, handedOver: oweCache(parts, request, reservation, answer) };
}

function recordOf({ instance, placement }: Reservation, answer: PrefillResponse, attempts: number): LegRecord {
  const { decision, reason, routingKey } = placement;
  const { rank, timing } = answer;
  return { instance: instance.server, decision, reason, routingKey, attempts, rank, timing: timing ?? null };
}

/** @throws RoostError `internal` when a pending answer lacks what the generation leg needs (reference 3.2) */
function requireHandoff({ finishReason, disaggregatedParams: params }: PrefillResponse): void {
  if (finishReason === FinishReason.FINISH_REASON_STOP) return;
  if (params?.ctxRequestId === undefined || params.disaggRequestId === undefined) {
    throw new RoostError('internal', 'the context worker answered without handoff ids');
  }
}

/** The cache is freed when the request ends before a generation worker has taken it over. */
function oweCache(
  { signer }: LegParts,
  request: ServedRequest,
  { instance }: Reservation,
  { disaggregatedParams: params }: PrefillResponse,
): () => void {
  const { ctxRequestId, encodedOpaqueState, ctxInfoEndpoint } = params ?? {};
  if (ctxRequestId === undefined || encodedOpaqueState === undefined || ctxInfoEndpoint === undefined) {
    return () => undefined;
  }
  let wanted = true;
  request.owe(() => {
    if (!wanted) return;
    const metadata = signer.metadataForTransfer({ ctxInfoEndpoint, encodedOpaqueState });
    const bounds = { signal: new AbortController().signal, deadline: Date.now() + 5_000 };
    const message = { ctxRequestId, encodedOpaqueState, ctxInfoEndpoint };
    // A cache that cannot be freed from here expires by itself.
    callUnary(instance.kvTransfer.release.bind(instance.kvTransfer), message, metadata, bounds).catch(() => undefined);
  });
  return () => {
    wanted = false;
  };
}

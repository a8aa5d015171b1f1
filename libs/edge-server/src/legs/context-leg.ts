import { callUnary } from '@roost/grpc-transport';
import {
  FinishReason,
  type PrefillRequest,
  type PrefillResponse,
  type RequestIdIssuer,
  RoostError,
} from '@roost/protocol';

import type { Reservation, RoutedFleet } from '../fleets/routed-fleet.js';
import type { ServedRequest } from '../request/served-request.js';

import { legFieldsOf, routeRequestOf } from './leg-fields.js';
import type { LegSigner } from './leg-signer.js';
import { type RetryBudget, runLeg } from './run-leg.js';

/** What the context leg needs of its edge. */
export interface ContextLegParts {
  readonly signer: LegSigner;
  readonly ids: RequestIdIssuer;
  readonly budget: RetryBudget;
}

/** A prompt that has been computed, and whose cache is held for the generation leg unless the answer is complete. */
export interface Prefilled {
  readonly answer: PrefillResponse;
  /** The context instance, which other legs avoid. */
  readonly server: string;
  /** Says that the cache has been taken over, and need not be freed from here. */
  handedOver(): void;
}

/** Has a context worker compute the prompt and sample the first token. */
export async function runContextLeg(
  parts: ContextLegParts,
  routed: RoutedFleet,
  request: ServedRequest,
): Promise<Prefilled> {
  const route = routeRequestOf(request, true);
  const { value, reservation, attempts } = await runLeg(routed, request, route, parts.budget, (chosen) =>
    prefill(parts, routed, request, chosen),
  );
  reservation.release(true);
  const { decision, reason, routingKey } = reservation.placement;
  request.record.context = {
    instance: reservation.instance.server,
    decision,
    reason,
    routingKey,
    attempts,
    rank: value.rank,
    timing: value.timing ?? null,
  };
  request.record.usage = value.usage ?? null;
  return {
    answer: value,
    server: reservation.instance.server,
    handedOver: oweCache(parts, request, reservation, value),
  };
}

async function prefill(
  { signer, ids }: ContextLegParts,
  routed: RoutedFleet,
  request: ServedRequest,
  { instance }: Reservation,
): Promise<PrefillResponse> {
  const disaggRequestId = ids.next();
  const message: PrefillRequest = {
    ...legFieldsOf(request),
    disaggregatedParams: {
      requestType: 'context_only',
      firstGenTokens: [],
      disaggRequestId,
      ctxUsage: undefined,
      scheduleStyle: 'context_first',
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
  const metadata = signer.metadataFor(claim, null);
  const answer = await callUnary(instance.legs.prefill.bind(instance.legs), message, metadata, request);
  requireHandoff(answer);
  return answer;
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
  { signer }: ContextLegParts,
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

import type { Instance } from '@roost/fleet';
import { callStream } from '@roost/grpc-transport';
import {
  type DisaggregatedParams,
  type GenerateRequest,
  type GenerateResponse,
  type RequestIdIssuer,
  RoostError,
} from '@roost/protocol';

import type { Reservation, RoutedFleet } from '../fleets/routed-fleet.js';
import type { ServedRequest } from '../request/served-request.js';

import type { Prefilled } from './context-leg.js';
import { legFieldsOf, routeRequestOf } from './leg-fields.js';
import type { HandoffFields, LegClaim, LegSigner } from './leg-signer.js';
import { type RetryBudget, runLeg } from './run-leg.js';

/** What the generation leg needs of its edge. */
export interface GenerationLegParts {
  readonly signer: LegSigner;
  readonly ids: RequestIdIssuer;
  readonly budget: RetryBudget;
}

/** An answer that has begun. */
export interface Begun {
  readonly first: GenerateResponse;
  /** Everything after the first message. */
  readonly rest: AsyncGenerator<GenerateResponse, void>;
  readonly instance: Instance;
  /** Says whether the instance did its work, and gives its load back. */
  end(success: boolean): void;
}

/** Where a generation begins. */
export interface GenerationStart {
  /** Null for a request that is served whole. */
  readonly prefilled: Prefilled | null;
  /** What a lost instance made of the answer already. */
  readonly generated: readonly number[];
}

/** Has a generation worker begin the answer: from the context leg's cache, or from nothing where there is no context fleet. */
export async function beginGeneration(
  parts: GenerationLegParts,
  routed: RoutedFleet,
  request: ServedRequest,
  start: GenerationStart,
): Promise<Begun> {
  let usesContextId = true;
  const { value, reservation, attempts } = await runLeg(
    routed,
    request,
    routeRequestOf(request, start.prefilled === null),
    parts.budget,
    async (chosen) => {
      const disaggRequestId = usesContextId ? start.prefilled?.answer.disaggregatedParams?.disaggRequestId : undefined;
      usesContextId = false;
      const messages = generate(parts, routed, request, start, chosen, disaggRequestId ?? parts.ids.next());
      const first = await messages.next();
      if (first.done === true) throw new RoostError('worker_unavailable', 'the generation worker answered nothing');
      return { first: first.value, rest: messages };
    },
    start.prefilled?.server ?? null,
  );
  start.prefilled?.handedOver();
  const { decision, reason, routingKey } = reservation.placement;
  request.record.generation = {
    instance: reservation.instance.server,
    decision,
    reason,
    routingKey,
    attempts,
    rank: value.first.rank ?? null,
    timing: value.first.timing ?? null,
  };
  return {
    ...value,
    instance: reservation.instance,
    end: (success) => reservation.release(success),
  };
}

function generate(
  { signer }: GenerationLegParts,
  routed: RoutedFleet,
  request: ServedRequest,
  { prefilled, generated }: GenerationStart,
  { instance }: Reservation,
  disaggRequestId: bigint,
): AsyncGenerator<GenerateResponse, void> {
  const params = prefilled === null ? undefined : generationParams(prefilled, disaggRequestId);
  const fields = legFieldsOf(request);
  const message: GenerateRequest = {
    ...fields,
    promptTokenIds: prefilled === null ? fields.promptTokenIds : prefilled.answer.promptTokenIds,
    disaggregatedParams: params,
    stream: request.client.stream,
    generatedTokenIds: [...generated],
  };
  const metadata = signer.metadataFor(
    claimOf(routed, request, params),
    params === undefined ? null : handoffOf(params),
  );
  return callStream(instance.legs.generate.bind(instance.legs), message, metadata, request);
}

function claimOf(routed: RoutedFleet, request: ServedRequest, params: DisaggregatedParams | undefined): LegClaim {
  const { conversationId, subagentAffinityId } = request.identity;
  return {
    role: 'GENERATION',
    model: request.client.model,
    conversationId,
    subagentAffinityId: routed.affinity ? subagentAffinityId : null,
    requestType: params?.requestType ?? null,
    disaggRequestId: params?.disaggRequestId ?? null,
  };
}

function handoffOf({ ctxInfoEndpoint, encodedOpaqueState }: DisaggregatedParams): HandoffFields {
  return { ctxInfoEndpoint: ctxInfoEndpoint ?? null, encodedOpaqueState: encodedOpaqueState ?? null };
}

function generationParams({ answer }: Prefilled, disaggRequestId: bigint): DisaggregatedParams {
  const { disaggregatedParams: fromContext, usage } = answer;
  return {
    firstGenTokens: [],
    ...fromContext,
    requestType: 'generation_only',
    disaggRequestId,
    scheduleStyle: 'context_first',
    ctxUsage: usage,
  };
}

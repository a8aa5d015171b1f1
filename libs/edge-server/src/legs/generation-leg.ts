import type { Instance } from '@roost/fleet';
import {
  type DisaggregatedParams,
  GENERATE,
  type GenerateRequest,
  type GenerateResponse,
  RoostError,
} from '@roost/protocol';

import type { Reservation, RoutedFleet } from '../fleets/routed-fleet.js';
import type { LegAttempt } from '../request/leg-attempt.js';
import type { LegRecord, ServedRequest } from '../request/served-request.js';

import { beginLegSpan } from './begin-leg-span.js';
import type { Prefilled } from './context-leg.js';
import { legFieldsOf, legRouteOf } from './leg-fields.js';
import type { LegParts } from './leg-parts.js';
import type { HandoffFields, LegClaim } from './leg-signer.js';
import { type FirstChoice, runLeg } from './run-leg.js';

const NO_BODY = Buffer.alloc(0);

/** How long after its last message a worker may take to end a call. */
const END_WITHIN_MS = 1_000;

/** An answer that has begun. */
export interface Begun {
  readonly first: GenerateResponse;
  /** Everything after the first message. */
  readonly rest: AsyncGenerator<GenerateResponse, void>;
  readonly instance: Instance;
  readonly attempt: LegAttempt;
  /** Says whether the instance did its work, and gives its load back. */
  end(success: boolean): void;
}

/** Where a generation begins. */
export interface GenerationStart {
  /** The handoff, with a request id of its own for each attempt; undefined for a request that is served whole. */
  readonly params: (attempt: number) => DisaggregatedParams | undefined;
  /** The prompt's tokens as the context leg made them; null where they are not known yet, or not from there. */
  readonly promptTokenIds: Buffer | null;
  /** What a lost instance made of the answer already. */
  readonly generated: readonly number[];
  readonly choice: FirstChoice;
  readonly signal: AbortSignal;
}

/** Has a generation worker begin the answer. */
export async function beginGeneration(
  parts: LegParts,
  routed: RoutedFleet,
  request: ServedRequest,
  start: GenerationStart,
): Promise<Begun> {
  let attempt = 0;
  const route = legRouteOf(request, start.promptTokenIds === null);
  const begin = async (chosen: Reservation): Promise<Pick<Begun, 'first' | 'rest'>> => {
    attempt += 1;
    const messages = generate(parts, routed, request, start, chosen, start.params(attempt));
    const first = await messages.next();
    if (first.done === true) throw new RoostError('worker_unavailable', 'the generation worker answered nothing');
    return { first: first.value, rest: messages };
  };
  const { value, reservation, attempts } = await runLeg(routed, request, route, parts.budget, begin, start.choice);
  request.record.generation = recordOf(reservation, value.first, attempts);
  const { instance, attempt: placed } = reservation;
  const end = (success: boolean): void => {
    reservation.release(success);
    placed.end(success ? 'ok' : 'unused');
  };
  return { ...value, instance, attempt: placed, end };
}

/** A start from the cache that a context leg has left. */
export function startFrom(
  parts: LegParts,
  request: ServedRequest,
  { answer, server }: Prefilled,
  generated: readonly number[],
  reserved: Reservation | null,
): GenerationStart {
  const { disaggregatedParams: fromContext, usage, promptTokenIds } = answer;
  return {
    params: (attempt) => ({
      firstGenTokens: [],
      ...fromContext,
      requestType: 'generation_only',
      // The first attempt carries the context leg's id (reference 8.5), every other one of its own.
      disaggRequestId: attempt === 1 ? fromContext?.disaggRequestId : parts.ids.next(),
      scheduleStyle: 'context_first',
      ctxUsage: usage,
    }),
    promptTokenIds,
    generated,
    choice: { avoid: server, reserved },
    signal: request.signal,
  };
}

/** A start from nothing: the generation worker serves the request whole. */
export function startWhole(
  request: ServedRequest,
  generated: readonly number[],
  reserved: Reservation | null,
): GenerationStart {
  const { signal } = request;
  return { params: () => undefined, promptTokenIds: null, generated, choice: { reserved }, signal };
}

function generate(
  { signer }: LegParts,
  routed: RoutedFleet,
  request: ServedRequest,
  { promptTokenIds, generated, signal }: GenerationStart,
  { instance, attempt }: Reservation,
  params: DisaggregatedParams | undefined,
): AsyncGenerator<GenerateResponse, void> {
  const fields = legFieldsOf(request);
  const tokens = promptTokenIds ?? fields.promptTokenIds;
  const message: GenerateRequest = {
    ...fields,
    // Whoever has the tokens has no use for the text, which may be as long again.
    body: tokens.length > 0 ? NO_BODY : fields.body,
    promptTokenIds: tokens,
    disaggregatedParams: params,
    stream: request.client.stream,
    generatedTokenIds: [...generated],
  };
  const metadata = signer.metadataFor(
    claimOf(routed, request, params),
    params === undefined ? null : handoffOf(params),
  );
  instance.address(metadata);
  beginLegSpan(request, attempt, metadata);
  const { deadline } = request;
  return instance.legs.stream(GENERATE, message, metadata, { signal, deadline, graceMs: END_WITHIN_MS });
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

function recordOf({ instance, placement }: Reservation, first: GenerateResponse, attempts: number): LegRecord {
  const { decision, reason, routingKey } = placement;
  const { rank = null, timing = null, rankChoice = null } = first;
  return { instance: instance.server, decision, reason, routingKey, attempts, rank, timing, rankChoice };
}

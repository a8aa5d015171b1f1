import type { Engine, PrefillOutcome } from '@roost/engine';
import type { Span } from '@roost/observability';
import { AnswerText } from '@roost/prompt';
import {
  type DisaggregatedParams,
  encodeTokenIds,
  FinishReason,
  type PrefillRequest,
  type PrefillResponse,
  RoostError,
  type Usage,
} from '@roost/protocol';

import type { HeldHandoffs } from '../handoff/held-handoffs.js';
import { inSpan } from '../metrics/leg-spans.js';
import type { RankQueue } from '../scheduling/rank-queue.js';

import { type LegRequest, readLegRequest, refusalAsError } from './leg-request.js';
import { type RankOfLeg, runOnRank } from './on-rank.js';

/** What a prefill needs of its worker. */
export interface PrefillLegParts {
  readonly engine: Engine;
  readonly queue: RankQueue;
  readonly held: HeldHandoffs;
  /** Where this worker serves KvTransferService, host:port. */
  readonly endpoint: string;
}

interface Prefilled {
  readonly placement: RankOfLeg;
  readonly outcome: PrefillOutcome;
  readonly prefillMs: number;
}

/**
 * The context leg: tokenise, wait for a rank, prefill, and either answer at once (the model ended, a stop string, or a
 * limit of one token) or hold the cache for the handoff.
 *
 * @param verified what came beside the message
 */
export async function runPrefillLeg(
  parts: PrefillLegParts,
  message: PrefillRequest,
  { subagentAffinityId, span }: { readonly subagentAffinityId: string | null; readonly span: Span },
  signal: AbortSignal,
): Promise<PrefillResponse> {
  const ctxRequestId = contextRequestIdOf(message.disaggregatedParams);
  const leg = await readLegRequest(parts.engine, message, subagentAffinityId);
  const prefilled = await prefill(parts, leg, { span, signal });
  const { handle } = prefilled.outcome;
  let state: string | undefined;
  try {
    signal.throwIfAborted();
    const { text, finishReason } = beginningOf(parts.engine, leg, prefilled.outcome);
    const usage = usageOf(leg, prefilled.outcome);
    if (finishReason === FinishReason.FINISH_REASON_NOT_FINISHED) {
      const cache = { handle, firstTokens: firstTokensOf(prefilled.outcome), usage };
      state = parts.held.hold(ctxRequestId, cache, message.disaggregatedParams?.encodedOpaqueState);
    }
    return answerOf(parts, message, leg, { prefilled, text, finishReason, ctxRequestId, state });
  } finally {
    if (state === undefined) parts.engine.release(handle);
  }
}

function contextRequestIdOf(params: DisaggregatedParams | undefined): bigint {
  if (params?.requestType !== 'context_only') {
    throw new RoostError('invalid_request', 'Prefill takes requests of type context_only', { param: 'request_type' });
  }
  if (params.disaggRequestId === undefined) {
    throw new RoostError('invalid_request', 'a context_only request needs a disagg_request_id', {
      param: 'disagg_request_id',
    });
  }
  return params.disaggRequestId;
}

function prefill(
  parts: PrefillLegParts,
  leg: LegRequest,
  observed: { readonly span: Span; readonly signal: AbortSignal },
): Promise<Prefilled> {
  const { span, signal } = observed;
  return runOnRank(parts, leg.rankRequest, observed, (placement) =>
    inSpan(span.child('prefill'), async () => {
      const started = performance.now();
      const { prompt, conversationId, sampling } = leg;
      try {
        const job = { rank: placement.rank, conversationId, prompt, maxTokens: 1, sampling, signal };
        const outcome = await parts.engine.prefill(job);
        return { placement, outcome, prefillMs: performance.now() - started };
      } catch (error) {
        throw refusalAsError(error);
      }
    }),
  );
}

/** The answer as far as the first token goes. */
function beginningOf(
  engine: Engine,
  { stop, maxTokens }: LegRequest,
  { firstToken }: PrefillOutcome,
): { text: string; finishReason: FinishReason } {
  if (firstToken === null) return { text: '', finishReason: FinishReason.FINISH_REASON_STOP };
  const answer = new AnswerText({ detokenize: (tokens) => engine.detokenize(tokens), stop });
  const { text, stopped } = answer.push([firstToken]);
  if (stopped) return { text, finishReason: FinishReason.FINISH_REASON_STOP };
  if (maxTokens > 1) return { text: '', finishReason: FinishReason.FINISH_REASON_NOT_FINISHED };
  return { text: text + answer.flush(), finishReason: FinishReason.FINISH_REASON_LENGTH };
}

function firstTokensOf({ firstToken }: PrefillOutcome): readonly number[] {
  return firstToken === null ? [] : [firstToken];
}

function usageOf({ prompt }: LegRequest, outcome: PrefillOutcome): Usage {
  const completionTokens = firstTokensOf(outcome).length;
  return { promptTokens: prompt.length, completionTokens, cachedTokens: outcome.cachedTokens };
}

interface Answered {
  readonly prefilled: Prefilled;
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly ctxRequestId: bigint;
  readonly state: string | undefined;
}

function answerOf(
  { endpoint }: PrefillLegParts,
  message: PrefillRequest,
  leg: LegRequest,
  { prefilled, text, finishReason, ctxRequestId, state }: Answered,
): PrefillResponse {
  const { placement, outcome, prefillMs } = prefilled;
  const usage = usageOf(leg, outcome);
  return {
    disaggregatedParams: {
      requestType: 'context_only',
      firstGenTokens: [...firstTokensOf(outcome)],
      ctxRequestId,
      disaggRequestId: ctxRequestId,
      encodedOpaqueState: state,
      ctxDpRank: placement.rank,
      ctxInfoEndpoint: state === undefined ? undefined : endpoint,
      scheduleStyle: message.disaggregatedParams?.scheduleStyle,
      ctxUsage: usage,
    },
    finishReason,
    text,
    promptTokenIds: encodeTokenIds(leg.prompt),
    usage,
    rank: placement.rank,
    timing: { queueMs: placement.queueMs, prefillMs, handoffMs: 0 },
    rankChoice: placement.choice,
  };
}

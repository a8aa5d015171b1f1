import { type Engine, type KvHandle, KvMismatch } from '@roost/engine';
import type { Span } from '@roost/observability';
import { AnswerText } from '@roost/prompt';
import { FinishReason, type GenerateRequest, type GenerateResponse, RoostError } from '@roost/protocol';

import type { HandoffTicket, KvPuller } from '../handoff/kv-puller.js';
import { inSpan } from '../metrics/leg-spans.js';
import type { RankQueue } from '../scheduling/rank-queue.js';

import { Begun } from './begun.js';
import { type LegRequest, readLegRequest, refusalAsError } from './leg-request.js';
import { type RankOfLeg, runOnRank } from './on-rank.js';

/** What a generation needs of its worker. */
export interface GenerateLegParts {
  readonly engine: Engine;
  readonly queue: RankQueue;
  readonly puller: KvPuller;
}

/** What came beside the message: proofs, already verified, and the trace. */
export interface VerifiedMetadata {
  readonly subagentAffinityId: string | null;
  /** The edge's signature over the handoff, as it came. */
  readonly handoffAuth: string | null;
  /** The leg's, in its request's trace. */
  readonly span: Span;
}

/** A prompt's cache on a rank, ready to decode from. */
interface Ready {
  readonly handle: KvHandle;
  readonly placement: RankOfLeg;
  /** The tokens made so far. */
  readonly generated: readonly number[];
  readonly cachedTokens: number;
  readonly prefillMs: number;
  readonly handoffMs: number;
}

/**
 * The generation leg: wait for a rank, take over the KV cache (or, for a whole request, prefill), and decode. Yields
 * messages as text becomes final, or a single one for a request that does not stream. All that it holds is freed when it
 * ends, however it ends.
 */
export async function* runGenerateLeg(
  parts: GenerateLegParts,
  message: GenerateRequest,
  verified: VerifiedMetadata,
  signal: AbortSignal,
): AsyncGenerator<GenerateResponse, void, undefined> {
  const leg = await readLegRequest(parts.engine, message, verified.subagentAffinityId);
  const ticket = ticketOf(message, verified);
  const { span: legSpan } = verified;
  const ready = await runOnRank(parts, leg.rankRequest, { span: legSpan, signal }, (placement) =>
    ticket === null
      ? inSpan(legSpan.child('prefill'), () => prefillHere(parts, leg, placement, { message, signal }))
      : inSpan(ticket.span.child('handoff', { kind: 'client' }), (span) =>
          takeOver(parts, leg, placement, { ticket: { ...ticket, span }, message, signal }),
        ),
  );
  try {
    const answer = decode(parts.engine, leg, ready, signal);
    if (message.stream) yield* answer;
    else yield await joined(answer);
  } finally {
    parts.engine.release(ready.handle);
  }
}

function ticketOf(
  { disaggregatedParams: params }: GenerateRequest,
  { handoffAuth: auth, span }: VerifiedMetadata,
): HandoffTicket | null {
  if (params === undefined) return null;
  if (params.requestType !== 'generation_only') {
    throw new RoostError('invalid_request', 'Generate takes requests of type generation_only', {
      param: 'request_type',
    });
  }
  const { ctxInfoEndpoint: endpoint, ctxRequestId, encodedOpaqueState } = params;
  if (endpoint === undefined || ctxRequestId === undefined || encodedOpaqueState === undefined) {
    throw new RoostError(
      'invalid_request',
      'a generation_only request needs ctx_info_endpoint, ctx_request_id and encoded_opaque_state',
      { param: 'disaggregated_params' },
    );
  }
  const awaited = params.scheduleStyle === 'generation_first';
  return { endpoint, ctxRequestId, encodedOpaqueState, auth, awaited, span };
}

async function prefillHere(
  { engine }: GenerateLegParts,
  leg: LegRequest,
  placement: RankOfLeg,
  { message, signal }: { message: GenerateRequest; signal: AbortSignal },
): Promise<Ready> {
  const started = performance.now();
  const { prompt, conversationId, sampling, maxTokens } = leg;
  try {
    const { handle, firstToken, cachedTokens } = await engine.prefill({
      rank: placement.rank,
      conversationId,
      prompt,
      maxTokens,
      sampling,
      signal,
    });
    const generated = continuedFrom(message, firstToken === null ? [] : [firstToken]);
    return { handle, placement, generated, cachedTokens, prefillMs: performance.now() - started, handoffMs: 0 };
  } catch (error) {
    throw refusalAsError(error);
  }
}

/** What has been made of the answer: all that a lost instance made, else the first token. */
function continuedFrom({ generatedTokenIds }: GenerateRequest, first: readonly number[]): readonly number[] {
  return generatedTokenIds.length > first.length ? generatedTokenIds : first;
}

async function takeOver(
  { engine, puller }: GenerateLegParts,
  leg: LegRequest,
  placement: RankOfLeg,
  { ticket, message, signal }: { ticket: HandoffTicket; message: GenerateRequest; signal: AbortSignal },
): Promise<Ready> {
  const started = performance.now();
  const { prompt, conversationId, maxTokens } = leg;
  try {
    const room = await engine.prepareImport({ rank: placement.rank, conversationId, prompt, maxTokens, signal });
    const arriving = await puller.pull(ticket, room.cachedTokens, signal).catch((error: unknown) => {
      room.abandon();
      throw error;
    });
    const handle = await room.accept(arriving.description, arriving.chunks);
    void puller.confirm(ticket);
    const { firstTokens, usage } = arriving.news;
    const generated = continuedFrom(message, firstTokens);
    return {
      handle,
      placement,
      generated,
      cachedTokens: usage.cachedTokens,
      prefillMs: 0,
      handoffMs: performance.now() - started,
    };
  } catch (error) {
    if (error instanceof KvMismatch) throw new RoostError('kv_transfer_failed', error.message, { cause: error });
    throw refusalAsError(error);
  }
}

/** Text and tokens that became known together. */
async function* textOf(
  engine: Engine,
  { stop, maxTokens, sampling }: LegRequest,
  { handle, generated }: Ready,
  signal: AbortSignal,
): AsyncGenerator<{ text: string; tokens: readonly number[]; stopped: boolean }> {
  const answer = new AnswerText({ detokenize: (tokens) => engine.detokenize(tokens), stop });
  const beginning = answer.push(generated);
  // Without a first token the model has ended already.
  const goesOn = !beginning.stopped && generated.length > 0 && generated.length < maxTokens;
  // Begun at once, not when the first message has been read: a rank that waits for a reader looks as if it had room.
  const decoding = goesOn ? new Begun(engine.decode({ handle, generated, maxTokens, sampling, signal })) : null;
  try {
    yield { ...beginning, tokens: generated };
    if (beginning.stopped) return;
    for await (const tokens of decoding?.values() ?? []) {
      const { text, stopped } = answer.push(tokens);
      yield { text, tokens, stopped };
      if (stopped) return;
    }
  } finally {
    await decoding?.end();
  }
  yield { text: answer.flush(), tokens: [], stopped: false };
}

async function* decode(
  engine: Engine,
  leg: LegRequest,
  ready: Ready,
  signal: AbortSignal,
): AsyncGenerator<GenerateResponse, void, undefined> {
  let count = 0;
  let stoppedByString = false;
  const { placement, prefillMs, handoffMs } = ready;
  let opening: Pick<GenerateResponse, 'rank' | 'timing' | 'rankChoice'> = {
    rank: placement.rank,
    timing: { queueMs: placement.queueMs, prefillMs, handoffMs },
    rankChoice: placement.choice,
  };
  for await (const { text, tokens, stopped } of textOf(engine, leg, ready, signal)) {
    count += tokens.length;
    stoppedByString = stopped;
    yield { ...UNFINISHED, ...opening, text, tokenIds: [...tokens] };
    opening = NOTHING_NEW;
  }
  const byLength = !stoppedByString && count >= leg.maxTokens;
  const finishReason = byLength ? FinishReason.FINISH_REASON_LENGTH : FinishReason.FINISH_REASON_STOP;
  const usage = {
    promptTokens: leg.prompt.length,
    completionTokens: count,
    cachedTokens: ready.cachedTokens,
  };
  yield { ...UNFINISHED, ...NOTHING_NEW, text: '', tokenIds: [], finishReason, usage };
}

/** Said in the first message only. */
const NOTHING_NEW = { rank: undefined, timing: undefined, rankChoice: undefined } as const;

const UNFINISHED = { finishReason: FinishReason.FINISH_REASON_UNSPECIFIED, usage: undefined } as const;

/** All messages of an answer in one. */
async function joined(answer: AsyncIterable<GenerateResponse>): Promise<GenerateResponse> {
  let text = '';
  const tokenIds: number[] = [];
  let first: GenerateResponse | undefined;
  let last: GenerateResponse | undefined;
  for await (const message of answer) {
    text += message.text;
    tokenIds.push(...message.tokenIds);
    first ??= message;
    last = message;
  }
  if (first === undefined || last === undefined) throw new Error('an answer has at least one message');
  return { ...last, text, tokenIds, rank: first.rank, timing: first.timing, rankChoice: first.rankChoice };
}

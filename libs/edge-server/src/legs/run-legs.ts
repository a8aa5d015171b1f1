import { FinishReason, RoostError, type Usage } from '@roost/protocol';

import type { Fleets } from '../fleets/fleets.js';
import type { ServedRequest } from '../request/served-request.js';

import { contextFirst } from './context-first.js';
import { generationFirst } from './generation-first.js';
import type { Begun } from './generation-leg.js';
import type { LegParts } from './leg-parts.js';
import type { Round } from './round.js';
import { asRoostError } from './run-leg.js';

/** A part of an answer, in order: any number of texts, then the end. */
export type AnswerPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'end'; readonly finishReason: 'stop' | 'length'; readonly usage: Usage };

/** How often an answer may be begun: again when its cache was gone, or its generation worker was lost in mid-stream. */
const MAX_ROUNDS = 4;

/**
 * Runs the legs of a request and yields the answer. What a client has been given is never given twice nor taken back: when
 * a generation worker is lost in mid-stream, the prompt is prefilled again and another instance goes on from the tokens
 * made so far.
 */
export async function* runLegs(
  parts: LegParts,
  fleets: Fleets,
  request: ServedRequest,
): AsyncGenerator<AnswerPiece, void, undefined> {
  const begin = parts.scheduleStyle === 'generation_first' ? generationFirst : contextFirst;
  const progress = new Progress();
  for (let rounds = 1; ; rounds += 1) {
    let round: Round | null = null;
    try {
      round = await begin(parts, fleets, request, progress.generated);
      yield* answerOf(round, progress, request);
      return;
    } catch (thrown) {
      const error = asRoostError(thrown);
      const begun = round?.kind === 'begun' ? round.begun : null;
      if (begun !== null) giveUp(begun, error, fleets);
      request.signal.throwIfAborted();
      if (rounds === MAX_ROUNDS || !mayBeginAgain(parts, error, begun !== null)) throw error;
      request.record.resumed += 1;
    }
  }
}

function answerOf(round: Round, progress: Progress, request: ServedRequest): AsyncIterable<AnswerPiece> {
  return round.kind === 'begun' ? relay(round.begun, progress, request) : early(round, progress);
}

async function* early({ answer }: Round & { kind: 'complete' }, progress: Progress): AsyncGenerator<AnswerPiece> {
  progress.beginStream();
  const text = progress.take(answer.text, []);
  if (text !== '') yield await Promise.resolve({ kind: 'text', text });
  yield { kind: 'end', finishReason: nameOf(answer.finishReason), usage: answer.usage ?? NO_USAGE };
}

async function* relay(
  begun: Begun,
  progress: Progress,
  request: ServedRequest,
): AsyncGenerator<AnswerPiece, void, undefined> {
  progress.beginStream();
  for await (const message of messagesOf(begun)) {
    const text = progress.take(message.text, message.tokenIds);
    if (text !== '') yield { kind: 'text', text };
    if (message.finishReason === FinishReason.FINISH_REASON_UNSPECIFIED) continue;
    const finishReason = nameOf(message.finishReason);
    begun.end(true);
    const usage = message.usage ?? NO_USAGE;
    request.record.usage = usage;
    yield { kind: 'end', finishReason, usage };
    return;
  }
  throw new RoostError('worker_unavailable', 'the generation worker ended its answer without a finish reason');
}

async function* messagesOf({ first, rest }: Begun): AsyncGenerator<Begun['first'], void, undefined> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return();
  }
}

function giveUp(begun: Begun, { code }: RoostError, { generation }: Fleets): void {
  begun.attempt.end(code);
  begun.end(false);
  if (code === 'worker_unavailable') generation.fleet.suspect(begun.instance);
}

function mayBeginAgain({ scheduleStyle }: LegParts, error: RoostError, begun: boolean): boolean {
  if (error.code === 'kv_cache_gone' || error.code === 'kv_transfer_failed') return true;
  // Legs that start together are tried together: neither can be repeated without the other.
  return error.kind.retryable && error.code !== 'no_instance' && (begun || scheduleStyle === 'generation_first');
}

function nameOf(reason: FinishReason): 'stop' | 'length' {
  if (reason === FinishReason.FINISH_REASON_STOP) return 'stop';
  if (reason === FinishReason.FINISH_REASON_LENGTH) return 'length';
  throw new RoostError('internal', 'the generation worker ended its answer for a reason that does not exist');
}

const NO_USAGE: Usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 };

/** What has been made and given out of an answer. Every stream tells the answer from its beginning. */
class Progress {
  /** All tokens that the last stream has told of. */
  generated: readonly number[] = [];
  private current: number[] = [];
  private told = 0;
  private given = 0;

  beginStream(): void {
    this.current = [];
    this.told = 0;
  }

  /** What of a message's text has not been given out. */
  take(text: string, tokens: readonly number[]): string {
    for (const token of tokens) this.current.push(token);
    if (this.current.length >= this.generated.length) this.generated = this.current;
    const known = Math.max(0, this.given - this.told);
    this.told += text.length;
    this.given = Math.max(this.given, this.told);
    return text.slice(known);
  }
}

import { FinishReason, type GenerateResponse, type PrefillResponse, RoostError, type Usage } from '@roost/protocol';

import type { Fleets } from '../fleets/fleets.js';
import type { ServedRequest } from '../request/served-request.js';

import { contextFirst } from './context-first.js';
import { generationFirst } from './generation-first.js';
import type { Begun } from './generation-leg.js';
import type { LegParts } from './leg-parts.js';
import type { BegunRound, Round } from './round.js';
import { asRoostError } from './run-leg.js';

/** Takes an answer, in order: any number of texts, then the end. */
export interface AnswerSink {
  /** @returns null, or what to wait for before there may be more */
  text(text: string): Promise<void> | null;
  end(finishReason: 'stop' | 'length', usage: Usage): void;
}

/** How often an answer may be begun: again when its cache was gone, or its generation worker was lost in mid-stream. */
const MAX_ROUNDS = 4;

/**
 * Runs the legs of a request and gives the answer out. What a client has been given is never given twice nor taken back:
 * when a generation worker is lost in mid-stream, the prompt is prefilled again and another instance goes on from the
 * tokens made so far.
 */
export async function runLegs(
  parts: LegParts,
  fleets: Fleets,
  request: ServedRequest,
  sink: AnswerSink,
): Promise<void> {
  const begin = parts.scheduleStyle === 'generation_first' ? generationFirst : contextFirst;
  const progress = new Progress();
  for (let rounds = 1; ; rounds += 1) {
    let round: Round | null = null;
    try {
      round = await begin(parts, fleets, request, progress.generated);
      if (round.kind === 'begun') await relay(round, progress, request, sink);
      else await giveWhole(round.answer, progress, sink);
      return;
    } catch (thrown) {
      const error = asRoostError(thrown);
      const begun = round?.kind === 'begun' ? round : null;
      if (begun !== null) giveUp(begun, error, fleets);
      noteGenerated(request, progress);
      request.signal.throwIfAborted();
      if (rounds === MAX_ROUNDS || !mayBeginAgain(parts, error, begun !== null)) throw error;
      request.record.resumed += 1;
    }
  }
}

async function giveWhole(answer: PrefillResponse, progress: Progress, sink: AnswerSink): Promise<void> {
  progress.beginStream();
  const text = progress.take(answer.text, []);
  const slow = text === '' ? null : sink.text(text);
  if (slow !== null) await slow;
  sink.end(nameOf(answer.finishReason), answer.usage ?? NO_USAGE);
}

async function relay(
  { begun, cache }: BegunRound,
  progress: Progress,
  request: ServedRequest,
  sink: AnswerSink,
): Promise<void> {
  progress.beginStream();
  try {
    for (let message: GenerateResponse | undefined = begun.first; message !== undefined;) {
      const text = progress.take(message.text, message.tokenIds);
      const slow = text === '' ? null : sink.text(text);
      if (slow !== null) await slow;
      if (message.finishReason !== FinishReason.FINISH_REASON_UNSPECIFIED) {
        cache?.handedOver();
        finish(begun, message, request, sink);
        return;
      }
      message = (await begun.rest.next()).value ?? undefined;
    }
  } finally {
    await begun.rest.return();
  }
  throw new RoostError('worker_unavailable', 'the generation worker ended its answer without a finish reason');
}

function finish(begun: Begun, last: GenerateResponse, { record }: ServedRequest, sink: AnswerSink): void {
  const finishReason = nameOf(last.finishReason);
  begun.end(true);
  const usage = last.usage ?? NO_USAGE;
  record.usage = usage;
  sink.end(finishReason, usage);
}

/** What was made of an answer that ends here: nobody says it any more, and the context leg knows of the first token only. */
function noteGenerated({ record }: ServedRequest, { generated }: Progress): void {
  if (record.usage === null || generated.length <= record.usage.completionTokens) return;
  record.usage = { ...record.usage, completionTokens: generated.length };
}

function giveUp({ begun, cache }: BegunRound, { code }: RoostError, { generation }: Fleets): void {
  cache?.giveUp();
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

import type { Usage } from '@roost/protocol';

import type { ClientEndpoint } from '../request/fields.js';

import { errorEnvelope } from './error-envelope.js';

/** Why an answer ends. */
export type AnswerEnd = 'stop' | 'length';

/** What all chunks of one answer have in common. */
export interface AnswerHeader {
  readonly endpoint: ClientEndpoint;
  /** See {@link answerId}. */
  readonly id: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly model: string;
  /** Whether a stream ends with a chunk that tells the usage. */
  readonly includeUsage: boolean;
}

/** Writes one answer to a client: whole, or as server-sent events in the order opening, deltas, ending or failure. */
export interface AnswerRenderer {
  /** The events before the first text. */
  opening(): string;
  /** The event for new text; nothing for no text. */
  delta(text: string): string;
  /** The events that end a stream. */
  ending(end: AnswerEnd, usage: Usage): string;
  /** The events that end a stream that cannot go on. */
  failure(error: unknown): string;
  /** The JSON text of the whole answer. */
  whole(text: string, end: AnswerEnd, usage: Usage): string;
}

const ID_PREFIX = { chat: 'chatcmpl-', completions: 'cmpl-' } as const;
const DONE = 'data: [DONE]\n\n';

/** The id of an answer, as the client sees it. `unique` is different for every answer. */
export function answerId(endpoint: ClientEndpoint, unique: string): string {
  return ID_PREFIX[endpoint] + unique;
}

/** A renderer for one answer. */
export function createAnswerRenderer(header: AnswerHeader): AnswerRenderer {
  return header.endpoint === 'chat' ? chatRenderer(header) : completionsRenderer(header);
}

function chatRenderer(header: AnswerHeader): AnswerRenderer {
  const frame = new Frame(header, 'chat.completion.chunk');
  return {
    opening: () => frame.chunk('"delta":{"role":"assistant","content":"","refusal":null}', null),
    delta: (text) => (text === '' ? '' : frame.chunk(`"delta":{"content":${JSON.stringify(text)}}`, null)),
    ending: (end, usage) => frame.chunk('"delta":{}', end) + frame.tail(usage),
    failure,
    whole: (text, end, usage) =>
      whole(header, 'chat.completion', { message: { role: 'assistant', content: text, refusal: null } }, end, usage),
  };
}

function completionsRenderer(header: AnswerHeader): AnswerRenderer {
  const frame = new Frame(header, 'text_completion');
  return {
    opening: () => '',
    delta: (text) => (text === '' ? '' : frame.chunk(`"text":${JSON.stringify(text)}`, null)),
    ending: (end, usage) => frame.chunk('"text":""', end) + frame.tail(usage),
    failure,
    whole: (text, end, usage) => whole(header, 'text_completion', { text }, end, usage),
  };
}

/** The text around what is new in a chunk, made once per answer. */
class Frame {
  private readonly head: string;
  private readonly foot: string;

  constructor(
    private readonly header: AnswerHeader,
    object: string,
  ) {
    const { id, created, model } = header;
    this.head = `data: ${JSON.stringify({ id, object, created, model }).slice(0, -1)},"choices":[`;
    this.foot = header.includeUsage ? '}],"usage":null}\n\n' : '}]}\n\n';
  }

  /** @param news the JSON member that carries the news */
  chunk(news: string, end: AnswerEnd | null): string {
    const reason = end === null ? 'null' : `"${end}"`;
    return `${this.head}{"index":0,${news},"logprobs":null,"finish_reason":${reason}${this.foot}`;
  }

  tail(usage: Usage): string {
    if (!this.header.includeUsage) return DONE;
    return `${this.head}],"usage":${JSON.stringify(usageBody(usage))}}\n\n${DONE}`;
  }
}

function failure(error: unknown): string {
  return `data: ${JSON.stringify(errorEnvelope(error))}\n\n${DONE}`;
}

function whole(header: AnswerHeader, object: string, content: object, end: AnswerEnd, usage: Usage): string {
  const { id, created, model } = header;
  const choices = [{ index: 0, ...content, logprobs: null, finish_reason: end }];
  return JSON.stringify({ id, object, created, model, choices, usage: usageBody(usage) });
}

function usageBody(usage: Usage): object {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
  };
}

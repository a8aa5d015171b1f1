/** What a client got, whole or streamed. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The answer's text. */
  readonly text: string;
  readonly finishReason: string | null;
  readonly usage: AnswerUsage | null;
  readonly error: AnswerError | null;
  /** The body as it came. */
  readonly raw: string;
}

/** The figures of an answer, in tokens. */
export interface AnswerUsage {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
}

/** The OpenAI error envelope's content. */
export interface AnswerError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string;
}

/** The two endpoints that generate. */
export type Endpoint = 'chat/completions' | 'completions';

/** What a request may carry beside its body. */
export interface AskOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Told the text so far whenever a part of a stream arrives. */
  readonly onText?: (soFar: string) => void;
}

/** A body for an endpoint that asks for the answer to one prompt; the simulated model is filled in. */
export function bodyFor(endpoint: Endpoint, prompt: string, fields: object = {}): object {
  const content = endpoint === 'completions' ? { prompt } : { messages: [{ role: 'user', content: prompt }] };
  return { model: 'roost-simulated', ...content, ...fields };
}

/** Sends a request and reads the answer to its end. Rejects only when the connection breaks, or the signal aborts. */
export async function ask(url: string, endpoint: Endpoint, body: object, options: AskOptions = {}): Promise<Answer> {
  const response = await fetch(`${url}/v1/${endpoint}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...options.headers },
    body: JSON.stringify(body),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const { status, headers } = response;
  const streamed = headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!streamed) {
    const raw = await response.text();
    return { status, headers, ...contentOf([JSON.parse(raw) as Payload]), raw };
  }
  let raw = '';
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    raw += part;
    options.onText?.(contentOf(eventsOf(raw)).text);
  }
  return { status, headers, ...contentOf(eventsOf(raw)), raw };
}

/** {@link ask} for one prompt in a chat. */
export function chat(url: string, prompt: string, fields: object = {}, options: AskOptions = {}): Promise<Answer> {
  return ask(url, 'chat/completions', bodyFor('chat/completions', prompt, fields), options);
}

interface Payload {
  readonly choices?: readonly {
    readonly text?: string;
    readonly message?: { readonly content: string };
    readonly delta?: { readonly content?: string };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly prompt_tokens_details: { readonly cached_tokens: number };
  } | null;
  readonly error?: AnswerError;
}

/** The events of a stream that have arrived whole. */
export function eventsOf(raw: string): Payload[] {
  const events = raw.split('\n\n').slice(0, -1);
  const data = events.map((event) => event.replace(/^data: /, '')).filter((event) => event !== '[DONE]');
  return data.map((event) => JSON.parse(event) as Payload);
}

function contentOf(payloads: readonly Payload[]): Pick<Answer, 'text' | 'finishReason' | 'usage' | 'error'> {
  const choices = payloads.flatMap((payload) => payload.choices ?? []);
  const usage = payloads.findLast((payload) => payload.usage != null)?.usage ?? null;
  return {
    text: choices.map(({ text, message, delta }) => text ?? message?.content ?? delta?.content ?? '').join(''),
    finishReason: choices.at(-1)?.finish_reason ?? null,
    usage: usage === null ? null : usageOf(usage),
    error: payloads.findLast((payload) => payload.error !== undefined)?.error ?? null,
  };
}

function usageOf(usage: NonNullable<Payload['usage']>): AnswerUsage {
  return {
    prompt: usage.prompt_tokens,
    completion: usage.completion_tokens,
    cached: usage.prompt_tokens_details.cached_tokens,
  };
}

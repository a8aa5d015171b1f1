import { CliError, messageOf } from '../cli-error.js';

import type { DemoRequest, DemoResult } from './demo-request.js';
import { readEvents } from './event-stream.js';

/** How the demo reaches an edge. */
export interface EdgeClientOptions {
  readonly baseUrl: string;
  readonly parentHeader: string;
  readonly model: string;
}

/** An answer's text, and what is known of the request. */
export interface DemoAnswer {
  readonly text: string;
  readonly result: DemoResult;
}

/**
 * Sends one request, streaming, and measures it.
 *
 * @throws CliError when the edge refuses it or breaks off
 */
export async function sendRequest(
  request: DemoRequest,
  { baseUrl, parentHeader, model }: EdgeClientOptions,
): Promise<DemoAnswer> {
  const sentAt = performance.now();
  const response = await callEdge(new URL('/v1/chat/completions', baseUrl), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-session-id': request.sessionId,
      ...(request.parentSessionId !== null && {
        [parentHeader]: request.parentSessionId,
      }),
    },
    body: JSON.stringify({
      model,
      messages: request.messages,
      max_tokens: 48,
      temperature: 0,
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
  const stream = await readAnswer(response, sentAt);
  return { text: stream.text, result: resultOf(request, response, stream) };
}

/**
 * A JSON document of the edge.
 *
 * @throws CliError when nothing answers, or the answer is an error
 */
export async function getJson(url: URL): Promise<unknown> {
  return (await callEdge(url)).json();
}

async function callEdge(url: URL, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch {
    throw new CliError(
      `nothing answers at ${url.origin}: start the cluster in another terminal with \`npm start\`, or give its address with --url`,
    );
  }
  if (response.ok) return response;
  const text = await response.text();
  throw new CliError(`${url.href} answered ${String(response.status)}: ${errorMessage(text)}`);
}

function errorMessage(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: string } };
    return error?.message ?? body;
  } catch {
    return body.slice(0, 500);
  }
}

interface Stream {
  readonly text: string;
  readonly ttft: number | null;
  readonly usage: Usage | undefined;
}

interface Usage {
  readonly prompt_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null;
}

interface Chunk {
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string | null };
  }[];
  readonly usage?: Usage | null;
  readonly error?: { readonly message?: string };
}

async function readAnswer(response: Response, sentAt: number): Promise<Stream> {
  if (response.body === null) throw new CliError('the edge sent no answer');
  let stream: Stream = { text: '', ttft: null, usage: undefined };
  try {
    for await (const data of readEvents(response.body))
      stream = extend(stream, JSON.parse(data) as Chunk, performance.now() - sentAt);
    return stream;
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`the answer could not be read: ${messageOf(error)}`);
  }
}

function extend({ text, ttft, usage }: Stream, chunk: Chunk, elapsed: number): Stream {
  if (chunk.error !== undefined)
    throw new CliError(`the edge broke off: ${chunk.error.message ?? 'it did not say why'}`);
  const piece = chunk.choices?.[0]?.delta?.content ?? '';
  return {
    text: text + piece,
    ttft: ttft ?? (piece === '' ? null : elapsed),
    usage: chunk.usage ?? usage,
  };
}

function resultOf(
  { run, name, sessionId, parentSessionId }: DemoRequest,
  { headers }: Response,
  { ttft, usage }: Stream,
): DemoResult {
  const told = (name: string): string | null => decodeHeader(headers.get(`x-roost-${name}`));
  const number = (name: string): number | null => {
    const value = told(name);
    return value === null || value === '' ? null : Number(value);
  };
  return {
    run,
    name,
    session_id: sessionId,
    parent_session_id: parentSessionId,
    routing_key: told('routing-key'),
    conversation_id: told('conversation-id'),
    context_instance: told('context-instance'),
    context_rank: number('context-rank'),
    context_decision: told('context-decision'),
    generation_instance: told('generation-instance'),
    generation_rank: number('generation-rank'),
    generation_decision: told('generation-decision'),
    request_id: told('request-id'),
    prompt_tokens: usage?.prompt_tokens ?? null,
    cached_tokens: usage?.prompt_tokens_details?.cached_tokens ?? null,
    ttft_ms: ttft === null ? null : Math.round(ttft * 10) / 10,
  };
}

/** Ids outside printable ASCII travel URI-encoded; one that merely contains a percent sign is left as it is. */
function decodeHeader(value: string | null): string | null {
  if (value === null) return null;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

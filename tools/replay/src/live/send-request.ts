/** One request to an edge. */
export interface LiveRequest {
  readonly url: URL;
  readonly model: string;
  readonly prompt: string;
  readonly maxTokens: number;
  /** One name may come twice: `fetch` sends both values in one line, as a server would put them together. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** What came of it, as the engine says and as a client sees it. */
export interface LiveAnswer {
  readonly promptTokens: number;
  readonly cachedTokens: number;
}

interface Chunk {
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[];
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null;
  } | null;
  readonly error?: { readonly message: string };
}

/** A request had no answer, or not all of it; the message says why. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
}

/**
 * Sends a chat request and reads its stream to the end.
 *
 * @param onFirstToken called once, with the first text
 * @throws RequestFailed for everything but an answer with its usage
 */
export async function sendRequest(
  { url, model, prompt, maxTokens, headers }: LiveRequest,
  signal: AbortSignal,
  onFirstToken: () => void,
): Promise<LiveAnswer> {
  const response = await fetch(new URL('/v1/chat/completions', url), {
    method: 'POST',
    headers: [['content-type', 'application/json'], ...headers.map(([name, value]): [string, string] => [name, value])],
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: prompt }],
      max_tokens: maxTokens,
      stream: true,
      stream_options: { include_usage: true },
    }),
    redirect: 'error',
    signal,
  });
  if (!response.ok || response.body === null)
    throw new RequestFailed(`status ${String(response.status)}: ${(await response.text()).slice(0, 200)}`);
  return await readAnswer(response.body, onFirstToken);
}

async function readAnswer(body: ReadableStream<Uint8Array>, onFirstToken: () => void): Promise<LiveAnswer> {
  let told = false;
  const tell = (): void => {
    if (!told) onFirstToken();
    told = true;
  };
  let answer: LiveAnswer | null = null;
  for await (const chunk of chunksOf(body)) {
    if (chunk.error !== undefined) throw new RequestFailed(chunk.error.message);
    if (chunk.choices?.some(({ delta }) => Boolean(delta?.content)) === true) tell();
    answer = usageOf(chunk) ?? answer;
  }
  if (answer === null) throw new RequestFailed('the answer ended without its usage');
  // An answer may have no text.
  tell();
  return answer;
}

function usageOf({ usage }: Chunk): LiveAnswer | null {
  if (usage === null || usage === undefined) return null;
  return { promptTokens: usage.prompt_tokens, cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0 };
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Chunk, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const data = line.startsWith('data:') ? line.slice('data:'.length).trim() : '';
      if (data !== '' && data !== '[DONE]') yield JSON.parse(data) as Chunk;
    }
  }
}

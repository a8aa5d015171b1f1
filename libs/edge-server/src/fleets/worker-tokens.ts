import { Metadata } from '@grpc/grpc-js';
import type { Instance } from '@roost/fleet';
import type { ClientRequest } from '@roost/openai-api';
import { decodeTokenIds, Endpoint, RoostError, TOKENIZE } from '@roost/protocol';

/** A worker computes while it tokenises: what is longer costs the requests that it serves more than placement gains. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** How workers are asked. */
export interface WorkerTokensOptions {
  /** Milliseconds within which one has to answer. */
  readonly timeoutMs: number;
  /** Prompts that may be asked for at once. */
  readonly maxAsking: number;
  readonly warn: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}

/** A prompt as far as its tokens hang on it. */
export type AskedPrompt = Pick<ClientRequest, 'endpoint' | 'model' | 'bytes'>;

/** Asks workers for the tokens of prompts, each in its turn, one worker for each prompt. */
export class WorkerTokens {
  private turn = 0;
  private pending = 0;
  private inVain = 0;
  private readonly warned = new Set<string>();

  /** @param serving the instances that can be asked */
  constructor(
    private readonly serving: () => readonly Instance[],
    private readonly options: WorkerTokensOptions,
  ) {}

  /** Prompts that a worker is asked about now. */
  get asking(): number {
    return this.pending;
  }

  /** Prompts that a worker was asked about and did not tell the tokens of, since the start. */
  get failed(): number {
    return this.inVain;
  }

  /**
   * The tokens of a prompt; null where they cannot be had: no worker serves, too many are asked already, the body has more
   * than 4 MiB, or the worker does not answer in time or not properly, which is counted and warned of.
   *
   * @throws RoostError that says what is wrong with the prompt; the signal's reason when it aborts
   */
  async ask(prompt: AskedPrompt, signal: AbortSignal): Promise<Uint32Array<ArrayBuffer> | null> {
    const instances = this.serving();
    const instance = instances[this.turn % instances.length];
    if (instance === undefined || this.pending >= this.options.maxAsking) return null;
    if (prompt.bytes.length > MAX_BODY_BYTES) return null;
    this.turn += 1;
    this.pending += 1;
    try {
      return await askOne(instance, prompt, signal, this.options.timeoutMs);
    } catch (error) {
      signal.throwIfAborted();
      if (isRefusal(error)) throw error;
      this.note(instance, error);
      return null;
    } finally {
      this.pending -= 1;
    }
  }

  private note({ server }: Instance, error: unknown): void {
    this.inVain += 1;
    const reason = error instanceof RoostError ? error.code : 'internal';
    const key = `${server} ${reason}`;
    if (this.warned.has(key)) return;
    this.warned.add(key);
    this.options.warn(
      { instance: server, reason, err: error },
      'a worker did not tokenise a prompt, which is placed without its tokens; said once for each worker and reason',
    );
  }
}

async function askOne(
  instance: Instance,
  { endpoint, model, bytes }: AskedPrompt,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Uint32Array<ArrayBuffer>> {
  const kind = endpoint === 'chat' ? Endpoint.ENDPOINT_CHAT_COMPLETIONS : Endpoint.ENDPOINT_COMPLETIONS;
  const metadata = new Metadata();
  instance.address(metadata);
  const ended = new AbortController();
  const timer = setTimeout(() => {
    ended.abort(new RoostError('deadline_exceeded', `no answer within ${String(timeoutMs)} ms`));
  }, timeoutMs);
  const leave = (): void => ended.abort(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  try {
    signal.throwIfAborted();
    const bounds = { signal: ended.signal, deadline: Date.now() + timeoutMs };
    const answer = await instance.legs.unary(TOKENIZE, { endpoint: kind, model, body: bytes }, metadata, bounds);
    return tokensOf(answer.promptTokenIds, instance);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  }
}

/** @throws Error for what cannot be a prompt's tokens */
function tokensOf(bytes: Buffer, { info }: Instance): Uint32Array<ArrayBuffer> {
  const tokens = decodeTokenIds(bytes);
  if (tokens.length === 0) throw new Error('the worker answered no tokens');
  if (info !== null && tokens.length > info.maxSeqLen) {
    throw new Error(`the worker answered ${String(tokens.length)} tokens, more than its model has room for`);
  }
  return tokens;
}

/** Whether an error is what any worker would say of the prompt. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof RoostError)) return false;
  return ['invalid_request', 'unsupported_parameter', 'context_length_exceeded'].includes(error.code);
}

import { fileURLToPath } from 'node:url';

import { PROMPT_FORMAT } from '@roost/prompt';
import { RoostError } from '@roost/protocol';
import { Piscina } from 'piscina';

import type { PromptTask, PromptTaskOutcome, PromptTokens } from './prompt-task.js';

/** How many prompts are tokenised, and how many may wait. */
export interface PromptPoolOptions {
  readonly threads: number;
  /** Prompts that may wait for a thread. */
  readonly maxQueued: number;
}

/**
 * Tokenises prompts on threads of their own, so that a long one holds up nothing else. Each thread remembers what it has
 * tokenised; the rendering is the one that workers use.
 */
export class PromptPool {
  /** How this pool turns prompts into tokens; a worker's must be the same. */
  static readonly format = PROMPT_FORMAT;
  private readonly pool: Piscina<PromptTask, PromptTaskOutcome>;

  constructor(private readonly options: PromptPoolOptions) {
    this.pool = new Piscina({
      filename: fileURLToPath(new URL('../dist/prompt-thread.js', import.meta.url)),
      minThreads: options.threads,
      maxThreads: options.threads,
      maxQueue: Math.max(1, options.maxQueued),
      // What the main program was started with is none of a thread's business.
      execArgv: [],
    });
  }

  /** Prompts that wait for a thread. */
  get queued(): number {
    return this.pool.queueSize;
  }

  /**
   * The tokens of a request's prompt; null when too many prompts wait already.
   *
   * @param body the client's JSON body; stays the caller's
   * @param blockSizes of which block hashes are wanted, in tokens
   * @param maxTokens a text of more tokens is refused
   * @throws RoostError that says what is wrong with the prompt
   */
  async tokenize(
    endpoint: PromptTask['endpoint'],
    body: Buffer,
    blockSizes: readonly number[],
    maxTokens = Infinity,
  ): Promise<PromptTokens | null> {
    const copy = new Uint8Array(body);
    return await this.run({ endpoint, body: copy, tokens: null, blockSizes, maxTokens }, [copy.buffer]);
  }

  /**
   * What {@link tokenize} gives, of a prompt that was tokenised elsewhere, in whatever format.
   *
   * @param tokens a thread takes them over: the caller can use them no more
   */
  async hash(
    endpoint: PromptTask['endpoint'],
    body: Buffer,
    tokens: Uint32Array<ArrayBuffer>,
    blockSizes: readonly number[],
  ): Promise<PromptTokens | null> {
    const copy = new Uint8Array(body);
    const task = { endpoint, body: copy, tokens, blockSizes, maxTokens: Infinity };
    return await this.run(task, [copy.buffer, tokens.buffer]);
  }

  private async run(task: PromptTask, transferList: ArrayBuffer[]): Promise<PromptTokens | null> {
    if (this.pool.queueSize >= this.options.maxQueued) return null;
    const outcome = await this.pool.run(task, { transferList });
    if (outcome.kind === 'tokens') return outcome;
    throw new RoostError(outcome.code, outcome.message, { param: outcome.param });
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await this.pool.destroy();
  }
}

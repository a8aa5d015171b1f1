import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PromptPool, type PromptPoolOptions, type PromptTokens } from '@roost/prompt-pool';

import { Fleets } from '../fleets/fleets.js';
import type { WorkerTokens } from '../fleets/worker-tokens.js';

import type { ServedRequest } from './served-request.js';

/**
 * Tokenises the prompts of requests that are placed by their tokens, or has a worker do it where the workers' model is none
 * that the edge knows; starts no thread before there is one.
 */
@Injectable()
export class PromptTokenizer implements OnApplicationShutdown {
  private pool: PromptPool | null = null;
  private withoutTokens = 0;

  constructor(
    private readonly fleets: Fleets,
    private readonly workers: WorkerTokens,
    private readonly options: PromptPoolOptions,
  ) {}

  /** Prompts that wait for a thread, or for a worker. */
  get queued(): number {
    return (this.pool?.queued ?? 0) + this.workers.asking;
  }

  /** Prompts that a worker was asked about in vain, since the start. */
  get failed(): number {
    return this.workers.failed;
  }

  /** Prompts that were left without tokens, since the start. */
  get skipped(): number {
    return this.withoutTokens;
  }

  /**
   * Gives a request its tokens, where a router wants them. A request whose tokens cannot be had now stays without, and is
   * placed without.
   *
   * @throws RoostError that says what is wrong with the prompt
   */
  async tokenize(request: ServedRequest): Promise<void> {
    const { blockSizes } = this.fleets;
    if (blockSizes === null) return;
    request.prompt = await this.run(request, blockSizes);
    if (request.prompt === null) this.withoutTokens += 1;
    request.signal.throwIfAborted();
  }

  /**
   * The hashes of a prompt's full blocks of so many tokens, known or computed now; null when it cannot be had: too many
   * prompts wait, it is none, a thread has failed, or only a worker could have told its tokens, and did not.
   */
  async blocksOf(request: ServedRequest, blockSize: number): Promise<BigUint64Array | null> {
    const known = request.prompt?.blockHashes.get(blockSize);
    if (known !== undefined) return known;
    try {
      return (await this.again(request, [blockSize]))?.blockHashes.get(blockSize) ?? null;
    } catch {
      return null;
    }
  }

  private async run(request: ServedRequest, blockSizes: readonly number[]): Promise<PromptTokens | null> {
    if (!this.isForeign) return await this.tokenizeHere(request, blockSizes);
    const tokens = await this.workers.ask(request.client, request.signal);
    return tokens === null ? null : await this.hash(request, tokens, blockSizes);
  }

  /** Of a request that has ended: no worker is asked for it. */
  private async again(request: ServedRequest, blockSizes: readonly number[]): Promise<PromptTokens | null> {
    if (!this.isForeign) return await this.tokenizeHere(request, blockSizes);
    const tokens = request.prompt?.tokens.slice();
    return tokens === undefined ? null : await this.hash(request, tokens, blockSizes);
  }

  /** Whether workers tokenise in a format that is not the edge's own. */
  private get isForeign(): boolean {
    const { promptFormat } = this.fleets;
    return promptFormat !== null && promptFormat !== PromptPool.format;
  }

  private tokenizeHere({ client }: ServedRequest, blockSizes: readonly number[]): Promise<PromptTokens | null> {
    return this.threads.tokenize(client.endpoint, client.bytes, blockSizes, this.fleets.maxSeqLen);
  }

  private hash(
    { client }: ServedRequest,
    tokens: Uint32Array<ArrayBuffer>,
    blockSizes: readonly number[],
  ): Promise<PromptTokens | null> {
    return this.threads.hash(client.endpoint, client.bytes, tokens, blockSizes);
  }

  private get threads(): PromptPool {
    return (this.pool ??= new PromptPool(this.options));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool?.close();
  }
}

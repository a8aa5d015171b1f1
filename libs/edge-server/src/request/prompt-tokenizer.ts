import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PromptPool, type PromptPoolOptions, type PromptTokens } from '@roost/prompt-pool';

import { Fleets } from '../fleets/fleets.js';

import type { ServedRequest } from './served-request.js';

/** Tokenises the prompts of requests that are placed by their tokens; starts no thread before there is one. */
@Injectable()
export class PromptTokenizer implements OnApplicationShutdown {
  private pool: PromptPool | null = null;
  private withoutTokens = 0;

  constructor(
    private readonly fleets: Fleets,
    private readonly options: PromptPoolOptions,
  ) {}

  /** Prompts that wait for a thread. */
  get queued(): number {
    return this.pool?.queued ?? 0;
  }

  /** Prompts that were left without tokens because too many waited, since the start. */
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
   * prompts wait, it is none, or a thread has failed.
   */
  async blocksOf(request: ServedRequest, blockSize: number): Promise<BigUint64Array | null> {
    const known = request.prompt?.blockHashes.get(blockSize);
    if (known !== undefined) return known;
    try {
      return (await this.run(request, [blockSize]))?.blockHashes.get(blockSize) ?? null;
    } catch {
      return null;
    }
  }

  private async run({ client }: ServedRequest, blockSizes: readonly number[]): Promise<PromptTokens | null> {
    this.pool ??= new PromptPool(this.options);
    return await this.pool.tokenize(client.endpoint, client.bytes, blockSizes, this.fleets.maxSeqLen);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool?.close();
  }
}

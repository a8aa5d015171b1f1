import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PromptPool, type PromptPoolOptions } from '@roost/prompt-pool';

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
    this.pool ??= new PromptPool(this.options);
    const { endpoint, bytes } = request.client;
    request.prompt = await this.pool.tokenize(endpoint, bytes, blockSizes);
    if (request.prompt === null) this.withoutTokens += 1;
    request.signal.throwIfAborted();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool?.close();
  }
}

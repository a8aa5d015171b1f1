import type { Sampler } from '../sampling.js';

import type { Slot } from './slot.js';

/**
 * Where a request is on its rank: `waiting` for a sequence; `importing` with one made ready; `computing` its prompt or its
 * answer; `held` behind a handle; `gone`.
 */
export type Phase = 'waiting' | 'importing' | 'computing' | 'held' | 'gone';

/** What a request is made from. */
export interface WorkRequest {
  readonly kind: 'prefill' | 'import';
  readonly prompt: Uint32Array;
  readonly conversationId: string | null;
  readonly cacheSalt: string | undefined;
  readonly sampler: Sampler;
  readonly watcher: WorkWatcher;
}

/** Who wants to know what becomes of a request. */
export interface WorkWatcher {
  /** It got its sequence. */
  admitted?(): void;
  /** It has sampled: the token, or null where the model ended; `done` when it is held now. */
  progressed?(token: number | null, done: boolean): void;
  /** It was removed while it was decoding. */
  removed?(): void;
  /** It cannot go on. */
  failed(error: unknown): void;
}

/** One request on one rank. The rank alone changes it. */
export class Work {
  readonly kind: WorkRequest['kind'];
  readonly prompt: Uint32Array;
  readonly conversationId: string | null;
  readonly cacheSalt: string | undefined;
  phase: Phase = 'waiting';
  slot: Slot | null = null;
  /** Prompt tokens whose cache was found. */
  cachedTokens = 0;
  /** Answer tokens that are known. */
  generated: readonly number[] = [];
  sampler: Sampler;
  watcher: WorkWatcher;
  /** The longest answer, while it is decoded. */
  maxTokens: number | null = null;

  constructor(request: WorkRequest) {
    this.kind = request.kind;
    this.prompt = request.prompt;
    this.conversationId = request.conversationId;
    this.cacheSalt = request.cacheSalt;
    this.sampler = request.sampler;
    this.watcher = request.watcher;
  }

  /** Tokens whose cache is there. */
  get computedTokens(): number {
    return this.slot?.length ?? 0;
  }

  /** Tokens to compute before the next one can be sampled. */
  get pendingTokens(): number {
    return this.prompt.length + this.generated.length - this.computedTokens;
  }

  /** Prompt tokens still to be computed here. */
  get pendingPromptTokens(): number {
    return this.kind === 'import' ? 0 : Math.max(0, this.prompt.length - this.computedTokens);
  }

  /** The next `count` tokens to compute. */
  nextTokens(count: number): readonly number[] {
    const start = this.computedTokens;
    const fromPrompt = this.prompt.subarray(start, start + count);
    const index = Math.max(0, start - this.prompt.length);
    return [...fromPrompt, ...this.generated.slice(index, index + count - fromPrompt.length)];
  }
}

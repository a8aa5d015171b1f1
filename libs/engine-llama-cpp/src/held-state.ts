import type { KvHandle } from '@roost/engine';

import type { Work } from './rank/work.js';

/** A handle on a request of a llama.cpp engine. */
export class HeldState implements KvHandle {
  constructor(
    /** The engine that made it. */
    readonly owner: object,
    readonly rank: number,
    readonly work: Work,
  ) {}

  get numTokens(): number {
    return this.work.computedTokens;
  }
}

import type { TokenChain } from '@roost/block-cache';
import type { KvHandle } from '@roost/engine';

import type { Sequence } from './core/sequence.js';

/** A handle on a sequence of a simulated engine. */
export class HeldKv implements KvHandle {
  constructor(
    /** The engine that made it. */
    readonly owner: object,
    readonly rank: number,
    readonly sequence: Sequence<TokenChain>,
  ) {}

  get numTokens(): number {
    return this.sequence.computedTokens;
  }
}

import type { RankState } from '@roost/engine';

import type { SlotView } from './choose-slot.js';
import type { Work } from './work.js';

/** What a rank has. */
export interface RankContents {
  readonly works: readonly Pick<Work, 'phase' | 'prompt' | 'pendingPromptTokens'>[];
  readonly slots: readonly (Pick<SlotView, 'length'> & { readonly taken: boolean })[];
  /** Tokens that one sequence has room for. */
  readonly contextSize: number;
  readonly tokensPerBlock: number;
}

/** What a rank holds, as the engine port tells it, but for the rank's number. */
export function rankStateOf({ works, slots, contextSize, tokensPerBlock }: RankContents): Omit<RankState, 'rank'> {
  const active = works.filter(({ phase }) => phase !== 'held');
  const blocksOf = (taken: boolean): number =>
    sum(slots.filter((slot) => slot.taken === taken).map(({ length }) => Math.ceil(length / tokensPerBlock)));
  return {
    numActiveRequests: active.length,
    numActiveTokens: sum(active.map(({ prompt }) => prompt.length)),
    kvBlocksTotal: slots.length * Math.floor(contextSize / tokensPerBlock),
    kvBlocksPinned: blocksOf(true),
    kvBlocksCached: blocksOf(false),
    numPendingPrefillTokens: sum(active.map(({ pendingPromptTokens }) => pendingPromptTokens)),
    numHeldHandoffs: works.length - active.length,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, value) => total + value, 0);
}

import type { PrefillResponse } from '@roost/protocol';

import type { ServedRequest } from '../request/served-request.js';

import type { OwedCache, Prefilled } from './context-leg.js';
import type { Begun } from './generation-leg.js';
import { isWholeAnswer } from './whole-answer.js';

/** How far one way through the legs has come: the context leg's answer is the whole, or the generation leg has begun. */
export type Round = { readonly kind: 'complete'; readonly answer: PrefillResponse } | BegunRound;

/** A round whose generation leg has begun. */
export interface BegunRound {
  readonly kind: 'begun';
  readonly begun: Begun;
  /** What it has begun from; null where the generation worker computes the prompt itself. */
  readonly cache: OwedCache | null;
}

/** The round that ends with a context leg's answer; null when the answer goes on in a generation leg (reference 3.2). */
export function completeRound({ answer }: Prefilled, { client }: ServedRequest): Round | null {
  return isWholeAnswer(answer, client) ? { kind: 'complete', answer } : null;
}

import type { RequestIdIssuer } from '@roost/protocol';

import type { LegSigner } from './leg-signer.js';
import type { RetryBudget } from './run-leg.js';

/** What the legs need of their edge. */
export interface LegParts {
  readonly signer: LegSigner;
  readonly ids: RequestIdIssuer;
  readonly budget: RetryBudget;
  /** Whether the generation leg starts after the context leg's answer, or together with it (reference 3.2, 3.3). */
  readonly scheduleStyle: 'context_first' | 'generation_first';
  /**
   * Conditional disaggregation: the longest uncached part of a prompt, in tokens, that a generation worker computes
   * itself. Null: every request goes through the context fleet.
   */
  readonly maxLocalPrefillLength: number | null;
}

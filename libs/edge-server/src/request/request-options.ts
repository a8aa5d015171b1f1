import type { LegParts } from '../legs/leg-parts.js';

import type { ReceiveOptions } from './receive.js';

/** How this edge serves requests. */
export interface RequestOptions {
  readonly receive: ReceiveOptions;
  readonly legs: LegParts;
  readonly explainHeaders: boolean;
}

/** The Nest token of {@link RequestOptions}. */
export const REQUEST_OPTIONS = Symbol('REQUEST_OPTIONS');

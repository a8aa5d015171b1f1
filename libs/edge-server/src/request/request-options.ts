import type { ContextLegParts } from '../legs/context-leg.js';

import type { ReceiveOptions } from './receive.js';

/** How this edge serves requests. */
export interface RequestOptions {
  readonly receive: ReceiveOptions;
  readonly legs: ContextLegParts;
  readonly explainHeaders: boolean;
}

/** The Nest token of {@link RequestOptions}. */
export const REQUEST_OPTIONS = Symbol('REQUEST_OPTIONS');

import type { AdpRequest } from './ports/adp-router.js';

/** A batch in two parts. */
export interface ByWait<Id> {
  /** Deferred before, the longest wait first. */
  readonly waited: readonly AdpRequest<Id>[];
  /** Offered for the first time, or deferred since the last iteration only. */
  readonly arrived: readonly AdpRequest<Id>[];
}

/** Tells the requests that have waited from the others; the order among equals stays. */
export function waitedFirst<Id>(requests: readonly AdpRequest<Id>[]): ByWait<Id> {
  const itersOf = ({ waitedIters }: AdpRequest<Id>): number => waitedIters ?? 0;
  if (!requests.some((request) => itersOf(request) > 0)) return { waited: [], arrived: requests };
  return {
    waited: requests.filter((request) => itersOf(request) > 0).sort((a, b) => itersOf(b) - itersOf(a)),
    arrived: requests.filter((request) => !(itersOf(request) > 0)),
  };
}

import type { AdpRequest } from './ports/adp-router.js';

/** The requests in the order in which they are served: those that do not relax their rank before the others. Stable. */
export function strictFirst<Id>(requests: readonly AdpRequest<Id>[]): readonly AdpRequest<Id>[] {
  const isStrict = (request: AdpRequest<Id>): boolean => request.attentionDpRelax === false;
  if (!requests.some(isStrict)) return requests;
  return [...requests.filter(isStrict), ...requests.filter((request) => !isStrict(request))];
}

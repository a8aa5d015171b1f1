import type { PlacedRequest } from './ports/placement.js';

/** How many of the request's prompt tokens, from the first on, a rank has cached: 0 to `numInputTokens`. */
export function cachedTokensOf(request: PlacedRequest, rank: number): number {
  const cached = request.cachedTokens?.(rank) ?? 0;
  return cached > 0 ? Math.min(cached, request.numInputTokens) : 0;
}

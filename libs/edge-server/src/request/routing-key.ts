import type { RequestRecord } from './served-request.js';

/**
 * The key by which a request was placed: its context leg, or its generation leg where it has no other. A router may have
 * made the key up, for a prompt that it found by its text. Null where nothing was looked up: the router has no bindings, or
 * the request was not placed.
 */
export function routingKeyOf({ context, generation, attempts }: RequestRecord): string | null {
  const placed = context ?? generation ?? attempts[0]?.placement;
  return placed?.routingKey ?? null;
}

import type { PlacementStrategy } from '../ports/placement.js';

import { leastPrefill } from './least-prefill/least-prefill.js';
import { leastQueued } from './least-queued/least-queued.js';
import { leastTokens } from './least-tokens/least-tokens.js';
import { roundRobin } from './round-robin/round-robin.js';

/** Every placement there is; a new one is added here. */
export const PLACEMENTS: readonly PlacementStrategy[] = [roundRobin, leastQueued, leastTokens, leastPrefill];

/** The placement of that name; round_robin for a name that there is none of (reference 6.1). */
export function selectPlacement(name: string): PlacementStrategy {
  return PLACEMENTS.find((strategy) => strategy.name === name) ?? roundRobin;
}

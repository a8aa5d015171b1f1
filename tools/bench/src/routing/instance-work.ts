import { createRouterRegistry, type FleetRouter, type Placement, type RouteRequest } from '@roost/fleet-router';

import { memoryInUse } from './memory-in-use.js';
import { BINDINGS, freshKeys, keysInAnyOrder, sameKeys } from './million-keys.js';
import type { TimedWork, Work } from './work.js';

const INSTANCES = [10, 100, 1_000];
/** Placements that are not finished yet, for each instance: loads differ all the time. */
const IN_FLIGHT = 4;

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `host-${String(index)}:8000`);

const requestOf = (conversationId: string | null): RouteRequest => ({
  conversationId,
  subagentAffinityId: null,
  textChars: 4_000,
  text: () => '',
  promptTokenIds: null,
});

/** Decides for each key, and finishes the placement that many decisions later. */
function decide(router: FleetRouter, keys: readonly (string | null)[], inFlight: number): void {
  const placements = new Array<Placement | null>(inFlight).fill(null);
  for (const [at, key] of keys.entries()) {
    const slot = at % inFlight;
    const oldest = placements[slot] ?? null;
    if (oldest !== null) router.finish(oldest, true);
    placements[slot] = router.route(requestOf(key));
  }
  for (const placement of placements) if (placement !== null) router.finish(placement, true);
}

const conversation = (instances: number): FleetRouter =>
  createRouterRegistry().create('conversation', { max_sessions: BINDINGS }, { servers: names(instances) }).router;

function boundKeys(instances: number): TimedWork {
  const router = conversation(instances);
  const keys = freshKeys();
  decide(router, keys, instances * IN_FLIGHT);
  const again = sameKeys(keysInAnyOrder(keys));
  return { operations: BINDINGS, run: () => decide(router, again, instances * IN_FLIGHT) };
}

/** New keys for a table that is empty, or full; warmed up with another one. */
function newKeys(instances: number, isFull: boolean): TimedWork {
  decide(conversation(instances), freshKeys().slice(0, BINDINGS / 4), instances * IN_FLIGHT);
  const router = conversation(instances);
  if (isFull) decide(router, freshKeys(), instances * IN_FLIGHT);
  const keys = freshKeys();
  return { operations: BINDINGS, run: () => decide(router, keys, instances * IN_FLIGHT) };
}

function byLoad(type: string, instances: number): TimedWork {
  const { router } = createRouterRegistry().create(type, {}, { servers: names(instances) });
  const decisions = BINDINGS / 4;
  const keys = new Array<null>(decisions).fill(null);
  decide(router, keys, instances * IN_FLIGHT);
  return { operations: decisions, run: () => decide(router, keys, instances * IN_FLIGHT) };
}

function bytesABinding(): number {
  const router = conversation(10);
  const keys = freshKeys();
  const before = memoryInUse();
  decide(router, keys, 1);
  return (memoryInUse() - before) / BINDINGS;
}

/** The routers among instances, without blocks of prompts. */
export const INSTANCE_WORK: readonly Work[] = [
  ...INSTANCES.flatMap((count): Work[] => {
    const among = `among ${count.toLocaleString('en')} instances`;
    return [
      { name: `conversation ${among}, bound keys`, prepare: () => boundKeys(count) },
      { name: `conversation ${among}, new keys`, prepare: () => newKeys(count, false) },
      { name: `conversation ${among}, new keys, each evicting another`, prepare: () => newKeys(count, true) },
      { name: `load_balancing ${among}`, prepare: () => byLoad('load_balancing', count) },
      { name: `kv_cache_aware ${among}, nothing known of the prompt`, prepare: () => byLoad('kv_cache_aware', count) },
    ];
  }),
  { name: 'bytes a binding to an instance, with its key of 36 characters', bytesEach: bytesABinding },
];

/**
 * Decisions a second and bytes a binding of the conversation router, with a million bindings:
 * `node --expose-gc tools/bench/dist/routing/fleet-router.bench.js`. A look-up of the same keys in a plain map, measured
 * beside it, says how fast the machine is at that moment.
 */
import { createRouterRegistry, type RouteRequest } from '@roost/fleet-router';

import { memoryInUse } from './memory-in-use.js';
import { BINDINGS, freshKeys, sameKeys, STRIDE } from './million-keys.js';

const SERVERS = Array.from({ length: 8 }, (_, index) => `host-${String(index)}:8000`);

function report(what: string, act: (key: string) => void, keys: readonly string[]): void {
  const start = performance.now();
  for (let at = 0; at < keys.length; at++) act(keys[(at * STRIDE) % keys.length] ?? '');
  const perSecond = (keys.length / (performance.now() - start)) * 1000;
  console.log(`${what.padEnd(44)} ${Math.round(perSecond).toLocaleString('en').padStart(12)} /s`);
}

const { router } = createRouterRegistry().create('conversation', { max_sessions: BINDINGS }, { servers: SERVERS });
const decide = (conversationId: string): void => {
  const request: RouteRequest = {
    conversationId,
    subagentAffinityId: null,
    textChars: 4000,
    text: () => '',
    promptTokenIds: null,
  };
  const placement = router.route(request);
  if (placement !== null) router.finish(placement, true);
};

const keys = freshKeys();
const before = memoryInUse();
report('decisions and releases, new keys', decide, keys);
const perBinding = (memoryInUse() - before) / BINDINGS;

const again = sameKeys(keys);
const plain = new Map(keys.map((key, index) => [key, index]));
for (const round of [1, 2, 3]) {
  report(`decisions and releases, bound keys, round ${String(round)}`, decide, again);
  report('for comparison: look-ups in a plain map', (key) => plain.get(key), again);
}
report('decisions and releases, each evicting a key', decide, freshKeys());
console.log(`${'bytes a binding, its key included'.padEnd(44)} ${perBinding.toFixed(0).padStart(12)}`);

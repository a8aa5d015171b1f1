/**
 * Bytes a block, look-ups and decisions a second with a million blocks: `node --expose-gc
 * tools/bench/dist/routing/prefix-index.bench.js`. Prompts have 2,000 blocks; half of every prompt is shared with other
 * conversations and held by several instances. A walk of the same hashes over a `Set`, which knows of one instance only,
 * says how fast the machine is at that moment.
 */
import { createRouterRegistry, type RouteRequest } from '@roost/fleet-router';
import { PrefixIndex } from '@roost/prefix-index';

import { memoryInUse } from './memory-in-use.js';

const BLOCKS = 1_000_000;
const PROMPT_BLOCKS = 2000;
const SHARED_BLOCKS = PROMPT_BLOCKS / 2;
const FAMILIES = 16;
const SERVERS = Array.from({ length: 8 }, (_, index) => `host-${String(index)}:8000`);
const PROMPTS = (BLOCKS - FAMILIES * SHARED_BLOCKS) / (PROMPT_BLOCKS - SHARED_BLOCKS);
const LOOK_UPS = 20_000;
const BINDINGS = 1_000_000;

const scattered = (number: number): bigint => BigInt.asUintN(64, BigInt(number + 1) * 0x9e3779b97f4a7c15n);

/** A prompt's hashes: its family's beginning, then its own. */
const promptOf = (number: number): BigUint64Array => {
  const family = (number % FAMILIES) * SHARED_BLOCKS;
  const own = FAMILIES * SHARED_BLOCKS + number * (PROMPT_BLOCKS - SHARED_BLOCKS);
  return BigUint64Array.from({ length: PROMPT_BLOCKS }, (_, at) =>
    scattered(at < SHARED_BLOCKS ? family + at : own + at - SHARED_BLOCKS),
  );
};

const line = (what: string, value: number, unit = '/s'): void => {
  console.log(`${what.padEnd(56)} ${Math.round(value).toLocaleString('en').padStart(12)} ${unit}`);
};

function report(what: string, times: number, act: (at: number) => void): void {
  const start = performance.now();
  for (let at = 0; at < times; at++) act(at);
  line(what, (times / (performance.now() - start)) * 1000);
}

const prompts = Array.from({ length: PROMPTS }, (_, number) => promptOf(number));
const promptAt = (at: number): BigUint64Array => prompts[(at * 617) % PROMPTS] ?? new BigUint64Array();

const before = memoryInUse();
const index = new PrefixIndex({ maxBytes: 48 * 1024 * 1024 });
let longestStoreMs = 0;
const start = performance.now();
prompts.forEach((stored, number) => {
  const storeStart = performance.now();
  index.apply(SERVERS[number % SERVERS.length] ?? '', (number >> 3) % 2, { stored, removed: [] });
  longestStoreMs = Math.max(longestStoreMs, performance.now() - storeStart);
});
line('blocks stored', (PROMPTS * PROMPT_BLOCKS) / ((performance.now() - start) / 1000));
line('the longest store of a prompt', longestStoreMs * 1000, 'us');
const { blocks, bytes } = index.stats();
line('blocks', blocks, '');
line('bytes a block, as counted', bytes / blocks, '');
line('bytes a block, as measured', (memoryInUse() - before) / blocks, '');

const plain = new Set(prompts.flatMap((hashes) => [...hashes]));
for (const round of [1, 2, 3]) {
  report(`look-ups of a prompt, round ${String(round)}`, LOOK_UPS, (at) => index.match(promptAt(at)));
  report('for comparison: the same walk over a plain set', 500, (at) => promptAt(at).every((hash) => plain.has(hash)));
}

const { router } = createRouterRegistry().create(
  'kv_cache_aware',
  { track_routed_blocks: false },
  { servers: SERVERS, prefixIndex: index },
);
const { router: predicting } = createRouterRegistry().create(
  'kv_cache_aware',
  { predict_in_flight: true },
  { servers: SERVERS, prefixIndex: index },
);
const requestOf = (blockHashes: BigUint64Array | null, pinText: string | null): RouteRequest => ({
  conversationId: null,
  subagentAffinityId: null,
  textChars: 0,
  text: () => '',
  promptTokenIds: null,
  blockHashes,
  pinText,
});
const decide = (with_: typeof router, request: RouteRequest): void => {
  const placement = with_.route(request);
  if (placement !== null) with_.finish(placement, true);
};
const task = 'x'.repeat(20_000);
report('decisions by blocks', LOOK_UPS, (at) => decide(router, requestOf(promptAt(at), null)));
report('decisions by blocks, predicted and tracked', 2000, (at) => decide(predicting, requestOf(promptAt(at), null)));
report('decisions by blocks and a pin of 20 KB of text', 2000, (at) => decide(router, requestOf(promptAt(at), task)));
report('decisions by a short pin, without blocks', 100_000, (at) => decide(router, requestOf(null, String(at))));
report('decisions by load alone', 100_000, () => decide(router, requestOf(null, null)));

const { router: bound } = createRouterRegistry().create(
  'conversation',
  { max_sessions: BINDINGS },
  { servers: SERVERS },
);
const keys = Array.from({ length: BINDINGS }, (_, number) => scattered(number).toString());
const decideByKey = (at: number): void => {
  decide(bound, { ...requestOf(null, null), conversationId: keys[(at * 617_033) % BINDINGS] ?? '' });
};
report('for comparison: conversation router, new keys', BINDINGS, decideByKey);
report('for comparison: conversation router, bound keys', BINDINGS, decideByKey);

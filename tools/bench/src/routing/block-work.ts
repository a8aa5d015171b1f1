import { createRouterRegistry, type FleetRouter, type RouteRequest } from '@roost/fleet-router';
import { PrefixIndex } from '@roost/prefix-index';

import { memoryInUse } from './memory-in-use.js';
import type { TimedWork, Work } from './work.js';

const BLOCKS = 1_000_000;
const PROMPT_BLOCKS = [16, 128, 2_000];
const FAMILIES = 16;
const FEW_INSTANCES = 10;
/** How else the prompts of one length are spread. */
const MORE_INSTANCES = [100, 1_000];
const SPREAD_BLOCKS = 128;
/** Blocks that are looked at in one measurement. */
const WALKED = 8_000_000;

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `host-${String(index)}:8000`);
const scattered = (number: number): bigint => BigInt.asUintN(64, BigInt(number + 1) * 0x9e3779b97f4a7c15n);

/** Prompts of a million blocks in all: half of each is shared with others of its family, the rest its own. */
function promptsOf(length: number): BigUint64Array[] {
  const shared = length / 2;
  const count = (BLOCKS - FAMILIES * shared) / (length - shared);
  return Array.from({ length: Math.floor(count) }, (_, number) => {
    const family = (number % FAMILIES) * shared;
    const own = FAMILIES * shared + number * (length - shared);
    return BigUint64Array.from({ length }, (_, at) => scattered(at < shared ? family + at : own + at - shared));
  });
}

/** An index in which two ranks of each server hold prompts in turn, so that most hold a beginning of each family. */
function indexOf(prompts: readonly BigUint64Array[], servers: readonly string[]): PrefixIndex {
  const index = new PrefixIndex({ maxBytes: 48 * 1024 * 1024 });
  for (const [number, stored] of prompts.entries()) {
    const turn = Math.floor(number / FAMILIES);
    const rank = Math.floor(turn / servers.length) % 2;
    index.apply(servers[turn % servers.length] ?? '', rank, { stored, removed: [] });
  }
  return index;
}

/** Looks at prompts in an order that no cache foresees. */
function repeat(prompts: readonly BigUint64Array[], times: number, act: (prompt: BigUint64Array) => void): void {
  for (let at = 0; at < times; at++) {
    const prompt = prompts[(at * 617) % prompts.length];
    if (prompt !== undefined) act(prompt);
  }
}

function timed(prompts: readonly BigUint64Array[], length: number, act: (prompt: BigUint64Array) => void): TimedWork {
  const operations = Math.floor(WALKED / length);
  repeat(prompts, operations / 4, act);
  return { operations, run: () => repeat(prompts, operations, act) };
}

function lookUps(length: number): TimedWork {
  const prompts = promptsOf(length);
  const index = indexOf(prompts, names(FEW_INSTANCES));
  return timed(prompts, length, (prompt) => index.match(prompt));
}

const requestOf = (over: Partial<RouteRequest>): RouteRequest => ({
  conversationId: null,
  subagentAffinityId: null,
  textChars: 0,
  text: () => '',
  promptTokenIds: null,
  ...over,
});

function decide(router: FleetRouter, request: RouteRequest): void {
  const placement = router.route(request);
  if (placement !== null) router.finish(placement, true);
}

function decisions(length: number, args: Readonly<Record<string, unknown>>, instances = FEW_INSTANCES): TimedWork {
  const prompts = promptsOf(length);
  const servers = names(instances);
  const prefixIndex = indexOf(prompts, servers);
  const { router } = createRouterRegistry().create('kv_cache_aware', args, { servers, prefixIndex });
  return timed(prompts, length, (blockHashes) => decide(router, requestOf({ blockHashes })));
}

/** Each prompt continues a session that is known; a block is 128 token ids. */
function continuations(length: number): TimedWork {
  const { router } = createRouterRegistry().create('conversation', {}, { servers: names(FEW_INSTANCES) });
  const ids = Array.from({ length: 64 }, (_, seed) =>
    Uint32Array.from({ length: 128 * length + 1 }, (_, at) => (seed + 1) * 7_919 + at),
  );
  const operations = Math.floor(WALKED / 8 / length);
  const run = (): void => {
    for (let at = 0; at < operations; at++) decide(router, requestOf({ promptTokenIds: ids[at % ids.length] ?? null }));
  };
  run();
  return { operations, run };
}

function bytesABlock(): number {
  const prompts = promptsOf(2_000);
  const before = memoryInUse();
  const index = indexOf(prompts, names(FEW_INSTANCES));
  return (memoryInUse() - before) / index.stats().blocks;
}

const UNTRACKED = { track_routed_blocks: false };

/** What is decided by the blocks of prompts: a million blocks, among ten instances unless a line says otherwise. */
export const BLOCK_WORK: readonly Work[] = [
  ...PROMPT_BLOCKS.flatMap((length): Work[] => {
    const of = `of ${length.toLocaleString('en')} blocks`;
    return [
      { name: `look-ups of prompts ${of}`, prepare: () => lookUps(length) },
      { name: `kv_cache_aware, prompts ${of}`, prepare: () => decisions(length, UNTRACKED) },
      { name: `kv_cache_aware, prompts ${of}, tracked`, prepare: () => decisions(length, {}) },
      { name: `conversation without ids, prompts ${of}`, prepare: () => continuations(length) },
    ];
  }),
  ...MORE_INSTANCES.map((count): Work => ({
    name: `kv_cache_aware, prompts of ${String(SPREAD_BLOCKS)} blocks, among ${count.toLocaleString('en')} instances`,
    prepare: () => decisions(SPREAD_BLOCKS, UNTRACKED, count),
  })),
  { name: 'bytes a block', bytesEach: bytesABlock },
];

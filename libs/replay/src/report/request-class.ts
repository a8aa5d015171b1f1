import { sharedBlocks } from '../oracle/branch-oracle.js';
import type { TraceAgent } from '../trace/trace.js';

/**
 * What reuse is told apart by (agent-traffic reference 3.2), since the total hides first requests, a small part of all tokens:
 *
 * - `mainFirst`: the first request of a main agent;
 * - `mainUser`, `mainTool`: a later one that came after its user, or after a tool, those beside its work too;
 * - `subFirstFresh`, `subFirstFork`: the first of a sub-agent, with a beginning of its own or with its parent's history;
 * - `subRest`: a later one of a sub-agent;
 * - `afterCompaction`: a later one, of either, whose prompt is less than half as long as the one before.
 */
export type RequestClass =
  'mainFirst' | 'mainUser' | 'mainTool' | 'subFirstFresh' | 'subFirstFork' | 'subRest' | 'afterCompaction';

/** All classes. */
export const REQUEST_CLASSES: readonly RequestClass[] = [
  'mainFirst',
  'mainUser',
  'mainTool',
  'subFirstFresh',
  'subFirstFork',
  'subRest',
  'afterCompaction',
];

/** Something for each class, and for all requests together. */
export type ByClass<Value> = Readonly<Record<RequestClass | 'total', Value>>;

/** Asks for each class's value. */
export function byClass<Value>(valueOf: (name: RequestClass | 'total') => Value): ByClass<Value> {
  return {
    mainFirst: valueOf('mainFirst'),
    mainUser: valueOf('mainUser'),
    mainTool: valueOf('mainTool'),
    subFirstFresh: valueOf('subFirstFresh'),
    subFirstFork: valueOf('subFirstFork'),
    subRest: valueOf('subRest'),
    afterCompaction: valueOf('afterCompaction'),
    total: valueOf('total'),
  };
}

/** How much shorter than the one before a prompt is when its history was summed up. */
const COMPACTED_SHARE = 0.5;

/**
 * The class of a request.
 *
 * @param index of the request of the agent
 * @param blocks of its prompt
 * @param spawnedWith the blocks of the parent's request that the agent started with; none for a main agent, and for one
 *   whose parent had asked for nothing
 */
export function classOf(
  { parent, requests }: TraceAgent,
  index: number,
  blocks: Uint32Array,
  spawnedWith: Uint32Array,
): RequestClass {
  if (index === 0) {
    if (parent === null) return 'mainFirst';
    return isFork(blocks, spawnedWith) ? 'subFirstFork' : 'subFirstFresh';
  }
  const request = requests[index];
  if (request?.isSide !== true && isCompacted(requests, index)) return 'afterCompaction';
  if (parent !== null) return 'subRest';
  return request?.trigger === 'user' ? 'mainUser' : 'mainTool';
}

function isCompacted(requests: TraceAgent['requests'], index: number): boolean {
  let before = index - 1;
  while (requests[before]?.isSide === true) before -= 1;
  return (requests[index]?.inputTokens ?? 0) < COMPACTED_SHARE * (requests[before]?.inputTokens ?? 0);
}

/** Whether a prompt begins with all of another, but for its last full block: what opens the answer may differ there. */
function isFork(blocks: Uint32Array, spawnedWith: Uint32Array): boolean {
  const shared = sharedBlocks(blocks, spawnedWith);
  return shared > 0 && shared >= spawnedWith.length - 1;
}

import type { TraceRequest } from './trace.js';

/** The numbers of all blocks of a request, given those of the agent's request before: none for the first. */
export function promptBlocks(previous: Uint32Array, { keep, added }: TraceRequest): Uint32Array {
  const blocks = new Uint32Array(keep + added.length);
  blocks.set(previous.subarray(0, keep));
  blocks.set(added, keep);
  return blocks;
}

/** What comes before an agent's first request. */
export const NO_BLOCKS: Uint32Array = new Uint32Array(0);

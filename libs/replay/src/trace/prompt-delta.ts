import type { BlockIds, TraceRow } from './trace-row.js';

/** Blocks of a prompt as rows have them: what it has in common with the agent's request before, and the rest. */
export function promptDelta(previous: readonly number[], ids: readonly number[]): Pick<TraceRow, 'keep' | 'new'> {
  let keep = 0;
  while (keep < ids.length && ids[keep] === previous[keep]) keep += 1;
  return { keep, new: ids.slice(keep) satisfies readonly BlockIds[] };
}

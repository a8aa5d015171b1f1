import { uniform } from '../random/distributions.js';
import { type Random, seededRandom } from '../random/random.js';
import { TraceBuilder } from '../trace/trace-builder.js';
import { TOKENS_PER_BLOCK, type TraceRow } from '../trace/trace-row.js';
import type { Trace } from '../trace/trace.js';

/** A row with everything that a test does not care about. */
export function row(fields: Partial<TraceRow>): TraceRow {
  return {
    session: 's',
    agent: 'main',
    parent: null,
    seq: 0,
    t: 0,
    model: 'm',
    in: 64,
    out: 1,
    api_s: 0,
    trigger: 'tool',
    keep: 0,
    new: [1],
    ...fields,
  };
}

/** The trace of rows that are all right. */
export function traceOf(...rows: readonly TraceRow[]): Trace {
  const builder = new TraceBuilder();
  rows.forEach((each, index) => {
    builder.add(each, index + 1);
  });
  return builder.finish();
}

/**
 * A few sessions of a few agents each, which share prefixes of all lengths, inside a session and across. The trie of blocks
 * is so narrow that prompts often meet.
 */
export function smallTrace(seed: number): Trace {
  const random = seededRandom(seed);
  const rows: TraceRow[] = [];
  for (let session = 0; session < whole(random, 1, 3); session += 1) {
    for (let agent = 0; agent < whole(random, 1, 4); agent += 1) {
      const id = agent === 0 ? 'main' : `sa${String(agent)}`;
      const parent = agent === 0 ? null : agent === 1 || random() < 0.7 ? 'main' : `sa${String(agent - 1)}`;
      rows.push(...agentRows(random, { session: `s${String(session)}`, agent: id, parent }));
    }
  }
  return traceOf(...rows);
}

function agentRows(random: Random, who: Pick<TraceRow, 'session' | 'agent' | 'parent'>): TraceRow[] {
  let t = uniform(random, 0, 5);
  let ids: readonly number[] = [];
  return Array.from({ length: whole(random, 1, 6) }, (_, seq) => {
    const keep = random() < 0.8 ? ids.length : whole(random, 0, ids.length);
    const added = pathFrom(random, ids[keep - 1] ?? 0, whole(random, 0, 12));
    ids = [...ids.slice(0, keep), ...added];
    t += uniform(random, 0, 20);
    return row({
      ...who,
      seq,
      t,
      in: Math.max(1, ids.length * TOKENS_PER_BLOCK + whole(random, 0, TOKENS_PER_BLOCK - 1)),
      out: whole(random, 0, 50),
      keep,
      new: added,
      ids: 'global',
    });
  });
}

/** Ids of nodes down a binary tree: an id stands for all the way to it. */
function pathFrom(random: Random, start: number, length: number): number[] {
  let node = start;
  return Array.from({ length }, () => (node = 2 * node + (random() < 0.8 ? 1 : 2)));
}

function whole(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}

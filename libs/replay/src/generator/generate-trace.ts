import { seededRandom } from '../random/random.js';
import { TraceBuilder } from '../trace/trace-builder.js';
import type { TraceRow } from '../trace/trace-row.js';
import type { Trace } from '../trace/trace.js';

import { BlockSource } from './growing-prompt.js';
import { MainAgents } from './main-agent.js';
import { SharedBlocks } from './shared-blocks.js';

/** What to generate; the same seed and number give the same rows. */
export interface GeneratorOptions {
  readonly sessions: number;
  readonly seed: number;
}

/**
 * Makes up traffic of coding agents of the shape of the recorded traces (agent-traffic reference 3.1): shared beginnings,
 * growth, compaction, users' and tools' pauses, batches of sub-agents, fresh and forked. Without what the reference has
 * beside that: tenants, nested sub-agents, side calls and drifting beginnings.
 */
export function* generateRows({ sessions, seed }: GeneratorOptions): Generator<TraceRow, void, undefined> {
  const random = seededRandom(seed);
  const source = new BlockSource();
  const agents = new MainAgents(random, source, new SharedBlocks(source));
  for (let index = 0; index < sessions; index += 1) {
    yield* agents.session(`session-${String(index).padStart(4, '0')}`);
  }
}

/** The same as a trace. Throws a RangeError unless there is at least one session. */
export function generateTrace(options: GeneratorOptions): Trace {
  if (!Number.isSafeInteger(options.sessions) || options.sessions < 1)
    throw new RangeError(`sessions must be a whole number of at least 1, not ${String(options.sessions)}`);
  const builder = new TraceBuilder();
  let line = 0;
  for (const row of generateRows(options)) builder.add(row, (line += 1));
  return builder.finish();
}

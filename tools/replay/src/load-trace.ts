import { existsSync } from 'node:fs';
import path from 'node:path';

import { generateTrace, type Trace, TraceError, TraceReader } from '@roost/replay';

import { inCallersDirectory } from './callers-directory.js';
import { ReplayFailure } from './replay-failure.js';
import { traceLines } from './trace-lines.js';

/** The recorded trace that is replayed unless another one is asked for. */
const DEFAULT_FILE = 'weka_cc_v8_subagent_sessions.jsonl.gz';

/** Which trace to replay. */
export interface TraceChoice {
  /** None: the recorded trace where there is one, else a generated one. */
  readonly files: readonly string[];
  /** Generate one of so many sessions in place of reading files. */
  readonly generate: number | undefined;
  /** Of a generated trace. */
  readonly seed: number;
  /** The same: mean seconds between the starts of its sessions. */
  readonly sessionInterval: number;
}

/** A trace, and where it comes from, in words. */
export interface LoadedTrace {
  readonly trace: Trace;
  readonly origin: string;
  /** What there is to say of the files. */
  readonly notes: readonly string[];
}

/** Sessions of the trace that stands in for the recorded one: about as many requests. */
const STAND_IN_SESSIONS = 50;

/**
 * Reads traces, as one, or makes one.
 *
 * @param directory where the recorded traces are
 * @throws ReplayFailure that names the file and the line at fault
 */
export async function loadTrace(choice: TraceChoice, directory: string): Promise<LoadedTrace> {
  if (choice.generate !== undefined) return generated(choice.generate, choice);
  if (choice.files.length > 0) return await read(choice.files.map(inCallersDirectory));
  const recorded = path.join(directory, DEFAULT_FILE);
  return existsSync(recorded) ? await read([recorded]) : generated(STAND_IN_SESSIONS, choice);
}

function generated(sessions: number, { seed, sessionInterval }: TraceChoice): LoadedTrace {
  const origin = `generated, ${String(sessions)} sessions, seed ${String(seed)}`;
  try {
    return { trace: generateTrace({ sessions, seed, sessionInterval }), origin, notes: [] };
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TraceError)) throw error;
    throw new ReplayFailure(`${origin}: ${error.message}`, { cause: error });
  }
}

async function read(files: readonly string[]): Promise<LoadedTrace> {
  const reader = new TraceReader();
  const notes: string[] = [];
  for (const file of files) {
    const torn = await failingFor(file, () => reader.read(traceLines(file)));
    if (torn !== null) notes.push(`${file}, line ${String(torn)}: cut off, as when an edge is killed; skipped`);
  }
  const origin = files.map((file) => path.basename(file)).join(' + ');
  return { trace: await failingFor(origin, () => reader.finish()), origin, notes };
}

async function failingFor<Result>(file: string, run: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof TraceError) throw new ReplayFailure(`${file}, ${error.message}`, { cause: error });
    // Whatever else goes wrong is of the file: missing, unreadable, cut off, not gzip after all.
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new ReplayFailure(`${file}: ${code === 'ENOENT' ? 'there is no such file' : message}`, { cause: error });
  }
}

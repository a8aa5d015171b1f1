import { existsSync } from 'node:fs';
import path from 'node:path';

import { generateTrace, readTrace, type Trace, TraceError } from '@roost/replay';

import { ReplayFailure } from './replay-failure.js';
import { traceLines } from './trace-lines.js';

/** The recorded trace that is replayed unless another one is asked for. */
const DEFAULT_FILE = 'weka_cc_v8_subagent_sessions.jsonl.gz';

/** Which trace to replay. */
export interface TraceChoice {
  /** A file; undefined: the recorded trace where there is one, else a generated one. */
  readonly file: string | undefined;
  /** Generate one of so many sessions in place of reading a file. */
  readonly generate: number | undefined;
  /** Of a generated trace. */
  readonly seed: number;
}

/** A trace, and where it comes from, in words. */
export interface LoadedTrace {
  readonly trace: Trace;
  readonly origin: string;
}

/** Sessions of the trace that stands in for the recorded one: about as many requests. */
const STAND_IN_SESSIONS = 50;

/**
 * Reads or makes a trace.
 *
 * @param directory where the recorded traces are
 * @throws ReplayFailure that names the file and the line at fault
 */
export async function loadTrace(choice: TraceChoice, directory: string): Promise<LoadedTrace> {
  if (choice.generate !== undefined) return generated(choice.generate, choice.seed);
  if (choice.file !== undefined) return await read(inCallersDirectory(choice.file));
  const recorded = path.join(directory, DEFAULT_FILE);
  return existsSync(recorded) ? await read(recorded) : generated(STAND_IN_SESSIONS, choice.seed);
}

function generated(sessions: number, seed: number): LoadedTrace {
  return {
    trace: generateTrace({ sessions, seed }),
    origin: `generated, ${String(sessions)} sessions, seed ${String(seed)}`,
  };
}

/** npm runs its scripts in the directory of package.json, not where it was called. */
function inCallersDirectory(file: string): string {
  const calledIn = process.env['INIT_CWD'];
  return existsSync(file) || calledIn === undefined ? file : path.resolve(calledIn, file);
}

async function read(file: string): Promise<LoadedTrace> {
  try {
    return { trace: await readTrace(traceLines(file)), origin: path.basename(file) };
  } catch (error) {
    if (error instanceof TraceError) throw new ReplayFailure(`${file}, ${error.message}`, { cause: error });
    // Whatever else goes wrong is of the file: missing, unreadable, cut off, not gzip after all.
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new ReplayFailure(`${file}: ${message}`, { cause: error });
  }
}

import { type ChildProcess, spawn } from 'node:child_process';

import { LineSplitter } from './line-splitter.js';

// Run by every child before its own code. The channel to the parent closes however the parent dies, SIGKILL included; the
// child then stops as on SIGTERM instead of running on unattended, holding its port. A listener keeps the channel, and so
// the process, alive: hence the unref.
const lifeline = `data:text/javascript,${encodeURIComponent(
  "process.once('disconnect', () => process.kill(process.pid, 'SIGTERM')); process.channel?.unref();",
)}`;

/** A Node.js program to run as a child. */
export interface ChildSpec {
  /** Unique among the children, for people. */
  readonly name: string;
  /** Absolute path of the program. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** How a child ended: `code`, or `signal` when a signal ended it, or `error` when it could not be started. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error?: Error;
}

/** A started child. */
export interface RunningChild {
  readonly pid: number | undefined;
  /** Resolves when the child is gone and every line that it wrote was handed on. Never rejects. */
  readonly exited: Promise<ChildExit>;
  /** Asks the child to finish. Does nothing when it is gone. */
  terminate(): void;
  /** Ends the child and everything that it started, at once. Does nothing when it is gone. */
  kill(): void;
}

/** How children are started. */
export type StartChild = (spec: ChildSpec, onLine: (line: string) => void) => RunningChild;

/**
 * Starts a Node.js program in a process group of its own: the terminal's Ctrl-C reaches it only through its parent, once
 * and in the parent's order. It gets no standard input; every line of its output is handed to `onLine`. It is told to
 * stop when this process dies.
 */
export const startChild: StartChild = (spec, onLine) => {
  const child = spawn(process.execPath, ['--enable-source-maps', '--import', lifeline, spec.program, ...spec.args], {
    env: spec.env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  readLines(child, onLine);
  return {
    pid: child.pid,
    exited: exitOf(child),
    terminate: () => child.kill('SIGTERM'),
    kill: () => killGroup(child),
  };
};

/** A child's end in words. */
export function describeExit({ code, signal, error }: ChildExit): string {
  if (error !== undefined) return `could not be started: ${error.message}`;
  return signal === null ? `exited with code ${String(code)}` : `was ended by ${signal}`;
}

function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    const splitter = new LineSplitter(onLine);
    stream?.on('data', (chunk: Buffer) => splitter.push(chunk));
    stream?.on('close', () => splitter.end());
  }
}

function exitOf(child: ChildProcess): Promise<ChildExit> {
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
    child.once('error', (error) => {
      // Also emitted for a signal that could not be sent, when the child's own end is still to come.
      if (child.pid === undefined) resolve({ code: null, signal: null, error });
    });
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || isGone(child)) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}

function isGone(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

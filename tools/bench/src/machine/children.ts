import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const READY_WITHIN_MS = 150_000;

/** A process of a benchmark. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  /** Where its output goes. */
  readonly log: string;
}

/** The processes that a benchmark has started, with a folder for their files; all of them end with it. */
export class Children {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'roost-bench-'));
  private readonly running = new Map<Child, ChildProcess>();

  /** Starts a program; its output goes to a file. */
  start(name: string, command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Child {
    const log = path.join(this.folder, `${name}.log`);
    const output = openSync(log, 'a');
    const process_ = spawn(command, args, {
      stdio: ['ignore', output, output],
      cwd: this.folder,
      env: { ...process.env, ...env },
    });
    if (process_.pid === undefined) throw new Error(`${command} cannot be started`);
    process_.on('error', () => undefined);
    const child = { name, pid: process_.pid, log };
    this.running.set(child, process_);
    return child;
  }

  /** Writes a file that a program reads; gives its path. */
  write(name: string, content: string): string {
    const file = path.join(this.folder, name);
    writeFileSync(file, content);
    return file;
  }

  /**
   * Waits until an address answers with 200.
   *
   * @throws Error when the process ends first, or after 150 s
   */
  async untilReady(child: Child, url: string): Promise<void> {
    const end = Date.now() + READY_WITHIN_MS;
    while (Date.now() < end && this.running.get(child)?.exitCode === null) {
      const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
      await answer?.arrayBuffer();
      if (answer?.ok === true) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`${child.name} is not ready: see ${child.log}`);
  }

  /** Ends a process; resolves when it has ended, after being killed if need be. */
  async end(child: Child): Promise<void> {
    const process_ = this.running.get(child);
    this.running.delete(child);
    if (process_?.exitCode !== null || process_.signalCode !== null) return;
    const ended = new Promise((resolve) => process_.once('exit', resolve));
    process_.kill('SIGTERM');
    const timer = setTimeout(() => process_.kill('SIGKILL'), 5_000);
    await ended;
    clearTimeout(timer);
  }

  /** Ends every process, and removes the folder unless it is to be looked at. */
  async endAll(keepFolder = false): Promise<void> {
    await Promise.all([...this.running.keys()].map((child) => this.end(child)));
    if (!keepFolder) rmSync(this.folder, { recursive: true });
  }
}

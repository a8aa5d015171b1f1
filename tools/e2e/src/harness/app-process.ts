import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

import { eventually } from '@roost/testing';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const NODE = path.join(ROOT, 'node_modules/.bin/node');

// Run by every process before its own code: it must not outlive the tests, however these end.
const LIFELINE = `data:text/javascript,${encodeURIComponent(
  "process.once('disconnect', () => process.kill(process.pid, 'SIGKILL')); process.channel?.unref();",
)}`;

/** The programs under test. */
export type App = 'edge' | 'context-worker' | 'generation-worker';

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** One JSON line that a process has logged. */
export type LogLine = Readonly<Record<string, unknown>>;

/** One running app. */
export class AppProcess {
  /** Resolves when the process is gone and all that it wrote has been read. */
  readonly exited: Promise<Exit>;
  private readonly child: ChildProcess;
  private output = '';
  private exit: Exit | null = null;

  /** Starts the app's compiled `main.js` on a configuration file. */
  constructor(
    readonly name: string,
    app: App,
    configFile: string,
  ) {
    const main = path.join(ROOT, 'apps', app, 'dist/main.js');
    this.child = spawn(NODE, ['--import', LIFELINE, main, '-c', configFile], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    this.exited = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        this.exit = { code, signal };
        resolve(this.exit);
      });
    });
  }

  get running(): boolean {
    return this.exit === null;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** All that the process has written so far. */
  get text(): string {
    return this.output;
  }

  /** The JSON lines among what the process has written so far. */
  get logs(): readonly LogLine[] {
    return this.output.split('\n').flatMap((line) => {
      if (!line.startsWith('{')) return [];
      try {
        return [JSON.parse(line) as LogLine];
      } catch {
        return [];
      }
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /**
   * Waits until a condition holds.
   *
   * @throws Error with what the process wrote, when it ends meanwhile or takes longer than 30 s
   */
  async until(condition: () => Promise<boolean>): Promise<void> {
    const held = eventually(async () => !this.running || (await condition()), 30_000);
    await held.catch((cause: unknown) => {
      throw new Error(`${this.name} did not get ready:\n${this.output}`, { cause });
    });
    if (!this.running) throw new Error(`${this.name} ended while it was starting:\n${this.output}`);
  }
}

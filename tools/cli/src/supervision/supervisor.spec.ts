// Owns what the supervision does over real child processes: small Node.js programs, and time that the test advances.
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { CliError } from '../cli-error.js';

import { type ChildSpec, type RunningChild, startChild } from './child.js';
import type { Clock } from './clock.js';
import { Supervisor, type SupervisedSpec, type SupervisionLimits } from './supervisor.js';

const programs = {
  serves: `process.on('SIGTERM', () => { console.log('finishing'); process.exit(0); }); console.log('serving'); setInterval(() => {}, 1e6);`,
  stubborn: `process.on('SIGTERM', () => console.log('not now')); console.log('serving'); setInterval(() => {}, 1e6);`,
  fails: `console.error('Error: no such model'); process.exitCode = 3;`,
};

const limits: SupervisionLimits = {
  start: 60_000,
  stop: 5_000,
  restart: { firstDelay: 100, longestDelay: 1_000, quickDeath: 10_000, mostQuickDeaths: 3 },
};

/** Time that stands still until the test fires a delay that somebody waits for. */
class HeldClock implements Clock {
  private time = 0;
  private readonly waiting = new Map<number, (() => void)[]>();
  private readonly asked = new EventEmitter();

  now(): number {
    return this.time;
  }

  pass(milliseconds: number): void {
    this.time += milliseconds;
  }

  delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
      this.waiting.set(milliseconds, [...(this.waiting.get(milliseconds) ?? []), resolve]);
      this.asked.emit(String(milliseconds));
    });
  }

  /** Waits until somebody waits for a delay of this length, and lets it end. */
  async fire(milliseconds: number): Promise<void> {
    if (!this.waiting.has(milliseconds)) await once(this.asked, String(milliseconds));
    for (const resolve of this.waiting.get(milliseconds) ?? []) resolve();
    this.waiting.delete(milliseconds);
  }
}

/** Everything that happened, and a way to wait for the next of something. */
class Recorder {
  readonly events: string[] = [];
  private readonly changes = new EventEmitter();

  add(event: string): void {
    this.events.push(event);
    this.changes.emit('change');
  }

  async until(event: string, count = 1): Promise<void> {
    while (this.events.filter((seen) => seen === event).length < count) await once(this.changes, 'change');
  }
}

let directory: string;
const children: RunningChild[] = [];

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'roost-supervisor-'));
  for (const [name, code] of Object.entries(programs)) writeFileSync(path.join(directory, `${name}.mjs`), code);
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});

afterAll(() => rmSync(directory, { recursive: true }));

function supervise(): { clock: HeldClock; record: Recorder; supervisor: Supervisor } {
  const clock = new HeldClock();
  const record = new Recorder();
  const start = (spec: ChildSpec, onLine: (line: string) => void): RunningChild => {
    const child = startChild(spec, onLine);
    children.push(child);
    return child;
  };
  const supervisor = new Supervisor({
    start,
    clock,
    limits,
    events: {
      line: (name, line) => record.add(`${name}: ${line}`),
      ready: (name) => record.add(`${name} ready`),
      died: (name, how, delay) => record.add(`${name} ${how} (${String(delay)})`),
    },
  });
  return { clock, record, supervisor };
}

function spec(
  name: string,
  program: keyof typeof programs,
  record: Recorder,
  { ready = `${name}: serving`, stopOrder = 0 } = {},
): SupervisedSpec {
  let lives = 0;
  return {
    name,
    program: path.join(directory, `${program}.mjs`),
    args: [],
    env: process.env,
    stopOrder,
    waitUntilReady: () => record.until(ready, ++lives),
  };
}

describe('Supervisor', () => {
  it('launches children together, and stops them in their order', async () => {
    const { record, supervisor } = supervise();
    await supervisor.launch([
      spec('worker', 'serves', record, { stopOrder: 1 }),
      spec('edge', 'serves', record, { stopOrder: 0 }),
    ]);
    expect(record.events).toEqual(expect.arrayContaining(['worker ready', 'edge ready']));
    await supervisor.stop();
    expect(record.events.slice(-2)).toEqual(['edge: finishing', 'worker: finishing']);
    await expect(Promise.all(children.map(({ exited }) => exited))).resolves.toEqual([
      { code: 0, signal: null },
      { code: 0, signal: null },
    ]);
  });

  it('says which child ended before it was ready, how, and what it said last', async () => {
    const { record, supervisor } = supervise();
    const launch = supervisor.launch([
      spec('good', 'serves', record),
      spec('bad', 'fails', record, { ready: 'never' }),
    ]);
    await expect(launch).rejects.toThrow(
      new CliError('bad exited with code 3 before it was ready: Error: no such model'),
    );
    await supervisor.stop();
  });

  it('says which child was not ready in time', async () => {
    const { clock, record, supervisor } = supervise();
    const launch = supervisor.launch([spec('slow', 'serves', record, { ready: 'never' })]);
    await Promise.all([expect(launch).rejects.toThrow('slow was not ready after 60 s'), clock.fire(limits.start)]);
    await supervisor.stop();
  });

  it('starts a child again that dies, and says so', async () => {
    const { clock, record, supervisor } = supervise();
    await supervisor.launch([spec('worker', 'serves', record)]);
    clock.pass(20_000);
    children[0]?.kill();
    await record.until('worker was ended by SIGKILL: serving (100)');
    expect(children).toHaveLength(1);
    await clock.fire(100);
    await record.until('worker ready', 2);
    expect(children).toHaveLength(2);
    await supervisor.stop();
    expect(record.events.at(-1)).toBe('worker: finishing');
  });

  it('gives a child up that dies quickly again and again', async () => {
    const { clock, record, supervisor } = supervise();
    await supervisor.launch([spec('worker', 'serves', record)]);
    for (const [index, delay] of [100, 200].entries()) {
      await record.until('worker ready', index + 1);
      children.at(-1)?.kill();
      await clock.fire(delay);
    }
    await record.until('worker ready', 3);
    children.at(-1)?.kill();
    await expect(supervisor.failed).rejects.toThrow(
      'worker was ended by SIGKILL: serving; it ended 3 times in a row soon after its start, so it is given up',
    );
    expect(children).toHaveLength(3);
  });

  it('kills a child that does not end within the limit', async () => {
    const { clock, record, supervisor } = supervise();
    await supervisor.launch([spec('worker', 'stubborn', record)]);
    const stopped = supervisor.stop();
    await record.until('worker: not now');
    await clock.fire(limits.stop);
    await stopped;
    await expect(children[0]?.exited).resolves.toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('starts nothing again once it is stopped', async () => {
    const { record, supervisor } = supervise();
    await supervisor.launch([spec('worker', 'serves', record)]);
    children[0]?.kill();
    await record.until('worker was ended by SIGKILL: serving (100)');
    await supervisor.stop();
    expect(children).toHaveLength(1);
  });
});

describe('startChild', () => {
  it('says why a program could not be run', async () => {
    const lines: string[] = [];
    const child = startChild({ name: 'none', program: '/does/not/exist.mjs', args: [], env: process.env }, (line) =>
      lines.push(line),
    );
    await expect(child.exited).resolves.toEqual({ code: 1, signal: null });
    expect(lines.join('\n')).toContain("Cannot find module '/does/not/exist.mjs'");
  });
});

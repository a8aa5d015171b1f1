// Owns the lock under which a workspace is prepared, over real processes.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const module = new URL('../lock.mjs', import.meta.url).href;
const { withLock } = (await import(module)) as {
  withLock: <T>(directory: string, work: () => Promise<T>, onWait?: (owner: number) => void) => Promise<T>;
};

let directory: string;
let lock: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'roost-lock-'));
  lock = path.join(directory, 'lock');
});

afterEach(() => rmSync(directory, { recursive: true }));

describe('withLock', () => {
  it('gives the result, and leaves nothing behind, whether the work succeeds or not', async () => {
    await expect(withLock(lock, () => Promise.resolve(existsSync(lock)))).resolves.toBe(true);
    expect(existsSync(lock)).toBe(false);
    await expect(withLock(lock, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(existsSync(lock)).toBe(false);
  });

  it('lets processes work one after another', async () => {
    const log = path.join(directory, 'log');
    const program = `
      import { appendFileSync } from 'node:fs';
      import { setImmediate } from 'node:timers/promises';
      import { withLock } from ${JSON.stringify(module)};
      await withLock(${JSON.stringify(lock)}, async () => {
        appendFileSync(${JSON.stringify(log)}, 'in ' + process.pid + '\\n');
        for (let turn = 0; turn < 1000; turn++) await setImmediate();
        appendFileSync(${JSON.stringify(log)}, 'out ' + process.pid + '\\n');
      });`;
    const processes = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' }),
    );
    const ends = await Promise.all(processes.map((child) => once(child, 'exit')));
    expect(ends).toEqual(processes.map(() => [0, null]));
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(8);
    for (let index = 0; index < lines.length; index += 2)
      expect([lines[index], lines[index + 1]]).toEqual([
        expect.stringMatching(/^in /),
        lines[index]?.replace('in', 'out'),
      ]);
  }, 30_000);

  it('takes over from an owner that died', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    mkdirSync(lock);
    writeFileSync(path.join(lock, 'pid'), String(pid));
    await expect(withLock(lock, () => Promise.resolve('done'))).resolves.toBe('done');
  });

  it('tells whom it waits for', async () => {
    const told: number[] = [];
    let second: Promise<void> | undefined;
    await withLock(lock, async () => {
      const heard = new Promise<void>((resolve) => {
        second = withLock(
          lock,
          () => Promise.resolve(),
          (owner) => {
            told.push(owner);
            resolve();
          },
        );
      });
      await heard;
    });
    await second;
    expect(told).toEqual([process.pid]);
  });
});

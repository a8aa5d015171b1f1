// Owns that no state outlives its use: files, folders, and what a process that died has left.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, describe, expect, it } from '@jest/globals';

import { exportState } from './export-state.js';
import { StateFiles } from './state-files.js';

const place = mkdtempSync(path.join(tmpdir(), 'roost-state-files-'));

const save =
  (bytes: Buffer) =>
  (file: string): Promise<number> => {
    writeFileSync(file, bytes);
    return Promise.resolve(bytes.length);
  };

describe('StateFiles', () => {
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  it('removes a file after its use, also when that fails', async () => {
    const files = new StateFiles(place);
    const [folder] = readdirSync(place);
    await files.withFile((file) => save(Buffer.of(1))(file));
    const failing = files.withFile(async (file) => {
      await save(Buffer.of(1))(file);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(readdirSync(path.join(place, String(folder)))).toEqual([]);
    files.close();
    expect(readdirSync(place)).toEqual([]);
  });

  it('removes what dead processes have left, and nothing of living ones', () => {
    const { pid: dead } = spawnSync(process.execPath, ['-e', '']);
    const left = [`roost-llama-${String(dead)}-abc`, `roost-llama-${String(process.pid)}-old`];
    const kept = ['roost-llama-1-abc', 'something-else', 'roost-llama-x'];
    for (const name of [...left, ...kept]) mkdirSync(path.join(place, name));
    writeFileSync(path.join(place, left[0] ?? '', '1.state'), 'x');
    const first = new StateFiles(place);
    const second = new StateFiles(place);
    for (const name of left) expect(existsSync(path.join(place, name))).toBe(false);
    for (const name of kept) expect(existsSync(path.join(place, name))).toBe(true);
    expect(readdirSync(place)).toHaveLength(kept.length + 2);
    first.close();
    second.close();
  });

  it('gives a state in chunks, and has no file left once reading has begun', async () => {
    const files = new StateFiles(place);
    const bytes = Buffer.alloc(600_000, 'state');
    const chunks = exportState(files, bytes.length, save(bytes));
    const { value } = await chunks.next();
    const folder = readdirSync(place).find((name) => name.startsWith(`roost-llama-${String(process.pid)}`));
    expect(readdirSync(path.join(place, String(folder)))).toEqual([]);
    const parts = [value ?? Buffer.alloc(0)];
    for await (const chunk of chunks) parts.push(chunk);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(256 * 1024);
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
    files.close();
  });

  it('refuses a state of another size than announced', async () => {
    const files = new StateFiles(place);
    await expect(exportState(files, 5, save(Buffer.of(1))).next()).rejects.toThrow('1 bytes, not the 5 announced');
    files.close();
  });
});

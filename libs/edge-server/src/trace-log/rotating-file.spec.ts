import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { RotatingFile } from './rotating-file.js';

// Owns: that lines are whole and in order, that files are bounded, and what is said when lines are lost.

describe('RotatingFile', () => {
  let directory = '';
  let file = '';
  const failures: unknown[] = [];
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'trace-log-'));
    file = path.join(directory, 'log');
    failures.length = 0;
  });
  afterEach(async () => await rm(directory, { recursive: true }));

  const open = (maxBytes: number, name = file): RotatingFile =>
    new RotatingFile(name, maxBytes, (error) => failures.push(error));
  const linesOf = async (name: string): Promise<string[]> => (await readFile(name, 'utf8')).trimEnd().split('\n');

  it('has all lines in order, those of an earlier process first', async () => {
    for (const start of [0, 100]) {
      const rotating = open(1e6);
      for (let index = start; index < start + 100; index += 1) expect(rotating.add(`line ${String(index)}`)).toBe(true);
      await rotating.flush();
    }
    expect(await linesOf(file)).toEqual([...Array(200).keys()].map((index) => `line ${String(index)}`));
    expect(failures).toEqual([]);
  });

  it('begins anew before it is too large, says so once for each line that has to be given again, and keeps one file', async () => {
    const rotating = open(30);
    const refused: number[] = [];
    for (let index = 0; index < 8; index += 1) {
      const line = `line ${String(index)} ...`;
      if (rotating.add(line)) continue;
      refused.push(index);
      expect(rotating.add(line)).toBe(true);
    }
    await rotating.flush();
    expect(refused).toEqual([2, 4, 6]);
    expect(await linesOf(file)).toEqual(['line 6 ...', 'line 7 ...']);
    expect(await linesOf(`${file}.1`)).toEqual(['line 4 ...', 'line 5 ...']);
  });

  it('counts what was there before', async () => {
    const first = open(30);
    first.add('x'.repeat(20));
    await first.flush();
    expect(open(30).add('y'.repeat(20))).toBe(false);
  });

  it.each([
    ['a short line', 'whole\n', 'torn'],
    ['a line of many chunks', 'whole\n', 'torn'.repeat(100_000)],
    ['the only line', '', 'torn'],
    ['no line', 'whole\n', ''],
    ['a line behind many', `${'x'.repeat(99)}\n`.repeat(5000), 'torn'],
  ])('cuts off what was not written to its end: %s', async (_, whole, torn) => {
    await writeFile(file, whole + torn);
    const rotating = open(1e6);
    rotating.add('next');
    await rotating.flush();
    expect(await readFile(file, 'utf8')).toBe(`${whole}next\n`);
  });

  it('takes a line that is larger than the file may be', async () => {
    const rotating = open(10);
    expect(rotating.add('x'.repeat(50))).toBe(true);
    await rotating.flush();
    expect(await linesOf(file)).toEqual(['x'.repeat(50)]);
  });

  it('tells of a disk that takes nothing, and has the next line stand on nothing', async () => {
    const rotating = open(1e6, path.join(directory, 'none', 'log'));
    rotating.add('a');
    await rotating.flush();
    expect(failures).toMatchObject([{ code: 'ENOENT' }]);
    expect(rotating.add('b')).toBe(false);
  });

  it('loses what waits when there is too much of it', () => {
    const rotating = open(1e9);
    const line = 'x'.repeat(6e6);
    expect([rotating.add(line), rotating.add(line), rotating.add(line), rotating.add(line)]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(String(failures[0])).toContain('the disk does not keep up');
  });
});

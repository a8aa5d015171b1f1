/** Owns: what is counted and written for files that pass, files that do not, and files that are no vectors at all. */
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { type ConformanceResult, runConformance } from './run-conformance.js';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'conformance-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Outcome extends ConformanceResult {
  readonly lines: readonly string[];
}

async function run(...files: string[]): Promise<Outcome> {
  const lines: string[] = [];
  const result = await runConformance(files, (line) => lines.push(line));
  return { ...result, lines: lines.map((line) => line.replaceAll(`${folder}${path.sep}`, '')) };
}

function fileOf(name: string, content: string | Uint8Array): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

async function replay(name: string, document: unknown): Promise<Outcome> {
  return run(fileOf(name, JSON.stringify(document)));
}

const GOOD = {
  name: 'sub-agent',
  conversation_affinity_header_for_subagents: 'X-Parent',
  headers: { 'x-session-id': 'child', 'x-parent': 'parent' },
  body: { model: 'm' },
  expect: { conversation_id: 'child', subagent_affinity_id: 'parent', routing_key: 'parent' },
};
const WRONG = { ...GOOD, expect: { ...GOOD.expect, conversation_id: 'own', routing_key: 'child' } };

describe('what is counted and written', () => {
  test('a case that comes out as it says is one passed, and nothing is written', async () => {
    expect(await replay('identity-more.json', [GOOD, GOOD])).toEqual({ passed: 2, failed: 0, lines: [] });
  });

  test('a case with a wrong expectation is one failed, with a line for each mismatch', async () => {
    expect(await replay('identity.json', [GOOD, WRONG])).toEqual({
      passed: 1,
      failed: 1,
      lines: [
        'identity.json: case 1 (sub-agent), conversation_id: expected "own", got "child"',
        'identity.json: case 1 (sub-agent), routing_key: expected "child", got "parent"',
      ],
    });
  });

  test('a case that is not made as its format says fails alone', async () => {
    expect(await replay('identity.json', [null, { ...GOOD, expect: 1 }, GOOD])).toEqual({
      passed: 1,
      failed: 2,
      lines: [
        'identity.json: case 0: ShapeError: case must be an object, not null',
        'identity.json: case 1 (sub-agent): ShapeError: case.expect must be an object, not a number',
      ],
    });
  });

  test('several files are counted together, whatever one of them is', async () => {
    const files = [
      fileOf('identity-1.json', JSON.stringify([GOOD])),
      path.join(folder, 'identity-that-is-not-there.json'),
      fileOf('identity-2.json', JSON.stringify([GOOD, WRONG])),
    ];
    expect(await run(...files)).toMatchObject({ passed: 2, failed: 2 });
  });

  test('no files are no cases', async () => {
    expect(await run()).toEqual({ passed: 0, failed: 0, lines: [] });
  });

  test('the recorded vectors pass, where they are at hand', async () => {
    const recorded = process.env['ROOST_VECTORS'] ?? path.join(import.meta.dirname, '../../../../shared/vectors');
    const files = existsSync(recorded) ? globSync(path.join(recorded, '*.json')) : [];
    expect(await run(...files)).toMatchObject({ failed: 0, lines: [] });
  });
});

describe('a file that is no vector file is one failure', () => {
  test.each([
    ['signatures.json', '{', 'SyntaxError'],
    ['signatures.json', '', 'SyntaxError'],
    ['signatures.json', '[]', 'file must be an object, not a list'],
    ['signatures.json', '{"subagent_affinity":[]}', 'file.kv_transfer is missing'],
    ['adp-router.json', '{}', 'file must be a list, not an object'],
    ['conversation-router.json', 'null', 'file must be a list, not null'],
    ['identity.json', '[]', 'there are no cases in it'],
    ['other.json', '[]', 'unknown format'],
    ['identity.yaml', '[]', 'unknown format'],
  ])('%s with %p', async (name, text, message) => {
    const outcome = await run(fileOf(name, text));
    expect(outcome).toMatchObject({ passed: 0, failed: 1, lines: [expect.stringContaining(message)] });
    expect(outcome.lines[0]?.startsWith(`${name}: `)).toBe(true);
  });

  test('bytes that are not UTF-8', async () => {
    const outcome = await run(fileOf('identity.json', Uint8Array.of(0x5b, 0xff, 0x5d)));
    expect(outcome).toMatchObject({ passed: 0, failed: 1, lines: [expect.stringContaining('TypeError')] });
  });

  test('a file that is not there, and a folder', async () => {
    const outcome = await run(path.join(folder, 'identity-no.json'), path.join(folder, 'no.json'), folder);
    expect(outcome).toMatchObject({ passed: 0, failed: 3 });
    expect(outcome.lines[0]).toContain('there is no such file');
    expect(outcome.lines[1]).toContain('there is no such file');
    expect(outcome.lines[2]).toContain('unknown format');
  });
});

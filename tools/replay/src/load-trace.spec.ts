import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateLines } from '@roost/replay';

import { type LoadedTrace, loadTrace } from './load-trace.js';
import { ReplayFailure } from './replay-failure.js';

/** Owns: where traces come from, and what is said of files that are none. */

const LINES = [...generateLines({ sessions: 2, seed: 3 })].map((row) => JSON.stringify(row));
const TEXT = LINES.join('\n');

describe('loadTrace', () => {
  let directory = '';
  beforeEach(async () => (directory = await mkdtemp(path.join(tmpdir(), 'replay-'))));
  afterEach(async () => await rm(directory, { recursive: true }));

  const load = async (name: string, content: string | Uint8Array): Promise<number> => {
    const file = path.join(directory, name);
    await writeFile(file, content);
    const { trace } = await loadTrace({ files: [file], generate: undefined, seed: 1, sessionInterval: 60 }, directory);
    return trace.numRequests;
  };

  it.each<[string, string, string | Uint8Array]>([
    ['plain', 'a.jsonl', TEXT],
    ['with a newline at the end', 'a', `${TEXT}\n`],
    ["with another system's line ends", 'a', TEXT.replaceAll('\n', '\r\n')],
    ['gzipped, whatever its name', 'a.jsonl', gzipSync(TEXT)],
  ])('reads a file %s', async (_, name, content) => {
    expect(await load(name, content)).toBe(LINES.length);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['with a bad line', `${LINES[0] ?? ''}\n{"id":"x"}`, 'a, line 2: in must be'],
    ['that is empty', '', 'a, line 0: the trace ends here without a request'],
    ['that is cut off', gzipSync(TEXT).subarray(0, 200), 'a: unexpected end of file'],
    ['that is broken', Buffer.concat([gzipSync(TEXT).subarray(0, 20), Buffer.alloc(50, 0xff)]), 'a: '],
  ])('names a file %s', async (_, content, message) => {
    const loading = load('a', content);
    await expect(loading).rejects.toThrow(ReplayFailure);
    await expect(loading).rejects.toThrow(message);
  });

  it('tells of a log whose last line is cut off', async () => {
    const line = JSON.stringify({
      ...{ roost_trace: 1, at: 1, conversation: 'c', parent: null, model: 'm', in: 9, out: 1, api_s: 1 },
      ...{ outcome: 'ok', tokens_per_block: 64, keep: 0, new: [] },
    });
    const file = path.join(directory, 'edge.jsonl');
    await writeFile(file, `${line}\n${line.slice(0, 50)}`);
    const { trace, notes } = await loadTrace(
      { files: [file], generate: undefined, seed: 1, sessionInterval: 60 },
      directory,
    );
    expect(trace.numRequests).toBe(1);
    expect(notes).toEqual([`${file}, line 2: cut off, as when an edge is killed; skipped`]);
  });

  it('reads several files as one trace', async () => {
    const files = ['a.jsonl', 'b.jsonl.gz'].map((name) => path.join(directory, name));
    await writeFile(files[0] ?? '', TEXT);
    await writeFile(files[1] ?? '', gzipSync('{"timestamp":0,"input_length":9,"output_length":1,"hash_ids":[0]}'));
    const { trace, origin } = await loadTrace({ files, generate: undefined, seed: 1, sessionInterval: 60 }, directory);
    expect(trace.numRequests).toBe(LINES.length + 1);
    expect(origin).toBe('a.jsonl + b.jsonl.gz');
  });

  it('names a file that is not there', async () => {
    const loading = loadTrace(
      { files: ['/no/such/file'], generate: undefined, seed: 1, sessionInterval: 60 },
      directory,
    );
    await expect(loading).rejects.toThrow('/no/such/file: there is no such file');
  });

  it('makes a trace up where the recorded one is not there, and reads it where it is', async () => {
    const choice = { files: [], generate: undefined, seed: 1, sessionInterval: 60 };
    const { origin, trace } = await loadTrace(choice, directory);
    expect(origin).toBe('generated, 50 sessions, seed 1');
    expect(trace.sessions).toHaveLength(50);
    await writeFile(path.join(directory, 'weka_cc_v8_subagent_sessions.jsonl.gz'), gzipSync(TEXT));
    const recorded = await loadTrace(choice, directory);
    expect(recorded.origin).toBe('weka_cc_v8_subagent_sessions.jsonl.gz');
    expect(recorded.trace.numRequests).toBe(LINES.length);
  });

  it('makes up as many sessions as asked for, as far apart as asked', async () => {
    const choice = { files: [], generate: 3, seed: 1, sessionInterval: 60 };
    const starts = ({ trace }: LoadedTrace): (number | null)[] =>
      trace.sessions.map(({ recordedStart }) => recordedStart);
    const [near, far] = [
      await loadTrace(choice, directory),
      await loadTrace({ ...choice, sessionInterval: 6000 }, directory),
    ];
    expect(near.trace.sessions).toHaveLength(3);
    expect(far.trace.sessions).toHaveLength(3);
    expect(Math.max(...starts(far).map(Number))).toBeGreaterThan(Math.max(...starts(near).map(Number)));
    await expect(loadTrace({ ...choice, sessionInterval: 1e9 }, directory)).rejects.toThrow(
      'generated, 3 sessions, seed 1: sessionInterval must be a number from 0 to 86400',
    );
  });
});

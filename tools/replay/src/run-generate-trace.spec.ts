import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateTrace } from '@roost/replay';

import { loadTrace } from './load-trace.js';
import { createGenerateCommand, runGenerateTrace } from './run-generate-trace.js';

/** Owns: that what is written is what replay would have generated, and which arguments are refused. */

describe('generate-trace', () => {
  let directory = '';
  beforeEach(async () => (directory = await mkdtemp(path.join(tmpdir(), 'generate-'))));
  afterEach(async () => await rm(directory, { recursive: true }));

  it.each(['a.jsonl', 'a.jsonl.gz'])('writes %s, which replay reads as the same trace', async (name) => {
    const file = path.join(directory, name);
    await runGenerateTrace('generate-trace', ['--sessions', '3', '--seed', '7', '--out', file]);
    const { trace } = await loadTrace({ files: [file], generate: undefined, seed: 1 }, directory);
    expect(trace).toEqual(generateTrace({ sessions: 3, seed: 7 }));
  });

  it.each([
    [['--sessions', '0'], 'at least 1'],
    [['--sessions', ''], 'at least 1'],
    [['--seed', '1.5'], 'A whole number is needed'],
  ])('refuses %j', async (args, message) => {
    const command = createGenerateCommand('generate-trace', () => Promise.resolve())
      .exitOverride()
      .configureOutput({ writeErr: () => undefined });
    await expect(command.parseAsync(args, { from: 'user' })).rejects.toThrow(message);
  });
});

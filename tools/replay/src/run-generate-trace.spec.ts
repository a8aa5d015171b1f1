import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DEFAULT_TRAFFIC, generateTrace } from '@roost/replay';

import { messagesOf } from './live/namespace-text.js';
import { loadTrace } from './load-trace.js';
import { createGenerateCommand, type GenerateFlags, runGenerateTrace } from './run-generate-trace.js';

/** Owns: that what is written is what replay would have generated, and how arguments are taken. */

async function parse(...args: string[]): Promise<GenerateFlags> {
  const asked: GenerateFlags[] = [];
  const command = createGenerateCommand('generate-trace', (flags) => {
    asked.push(flags);
    return Promise.resolve();
  });
  await command
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .parseAsync(args, { from: 'user' });
  const [flags] = asked;
  if (flags === undefined) throw new Error('nothing was asked for');
  return flags;
}

describe('generate-trace', () => {
  let directory = '';
  beforeEach(async () => (directory = await mkdtemp(path.join(tmpdir(), 'generate-'))));
  afterEach(async () => await rm(directory, { recursive: true }));

  it.each(['a.jsonl', 'a.jsonl.gz'])('writes %s, which replay reads as the same trace', async (name) => {
    const file = path.join(directory, name);
    await runGenerateTrace('generate-trace', ['--sessions', '3', '--seed', '7', '--out', file]);
    const { trace } = await loadTrace({ files: [file], generate: undefined, seed: 1, sessionInterval: 60 }, directory);
    expect(trace).toEqual(generateTrace({ sessions: 3, seed: 7 }));
  });

  it('writes prompts as messages where text is asked for, and the same lines otherwise', async () => {
    const [plain, text] = await Promise.all(
      [[], ['--text']].map(async (more, index) => {
        const file = path.join(directory, String(index));
        await runGenerateTrace('generate-trace', ['--sessions', '1', '--scale', '64', '--out', file, ...more]);
        const lines = (await readFile(file, 'utf8')).trim().split('\n');
        return lines.map((line) => JSON.parse(line) as { readonly prefix: Parameters<typeof messagesOf>[0]['prefix'] });
      }),
    );
    expect(text).toEqual(plain?.map((line) => ({ ...line, messages: messagesOf(line) })));
  });

  it('takes every option, and has a default for each', async () => {
    expect(await parse()).toEqual(DEFAULT_TRAFFIC);
    const numbers = [
      '--sessions',
      '9',
      '--seed',
      '-4',
      '--session-interval',
      '0.5',
      '--arrival-cv',
      '4',
      '--tenants',
      '3',
    ];
    const shares = [
      '--subagent-share',
      '0.5',
      '--fork-share',
      '1',
      '--faults',
      '0.1',
      '--scale',
      '32',
      '--gap-scale',
      '0.1',
    ];
    expect(await parse(...numbers, ...shares, '--text', '--out', 'x')).toEqual({
      ...{ sessions: 9, seed: -4, sessionInterval: 0.5, arrivalCv: 4, tenants: 3, subagentShare: 0.5, forkShare: 1 },
      ...{ faults: 0.1, scale: 32, gapScale: 0.1, text: true, out: 'x' },
    });
    expect((await parse('--faults')).faults).toBe(0.02);
  });

  it.each([
    [['--sessions', '0'], 'A whole number from 1 to 1000000 is needed'],
    [['--sessions', ''], 'A whole number from 1 to 1000000 is needed'],
    [['--seed', '1.5'], 'A whole number is needed'],
    [['--fork-share', '15'], 'A number from 0 to 1 is needed'],
    [['--scale', '0.5'], 'A number from 1 to 64 is needed'],
    [['--faults', 'many'], 'A number from 0 to 1 is needed'],
  ])('refuses %j', async (args, message) => {
    await expect(parse(...args)).rejects.toThrow(message);
  });
});

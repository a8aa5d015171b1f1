import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@roost/testing';

import { PARENT_HEADER } from './harness/cluster-files.js';
import { Cluster } from './harness/cluster.js';
import { ask } from './harness/http-client.js';
import { PRIVATE_TEXT, promptOn } from './harness/private-text.js';

// Owns: that what an edge logs of its traffic replays as it was served - what workers reported as cached is what the same
// routing finds cached in replay - and what becomes of a log whose edge was killed.

const REPLAY = path.resolve(import.meta.dirname, '../../replay/dist/main.js');

/** What an edge logs, whatever the engines' blocks are. */
const TOKENS_PER_BLOCK = 64;

const FAMILIES = ['apples', 'bears', 'clouds'];
const TURNS = 3;
const SUBAGENTS = 2;

interface Reused {
  readonly reusableTokens: number;
  readonly reusedTokens: number;
}

interface Report {
  readonly policy: string;
  readonly classes: Readonly<
    Record<
      string,
      {
        readonly requests: number;
        readonly cachedTokens: number;
        readonly reuse: { readonly causal: { readonly global: readonly Reused[] } };
      }
    >
  >;
}

/** The figures of a policy, and what was said beside them. */
interface Replayed {
  readonly reports: ReadonlyMap<string, Report>;
  readonly said: string;
}

describe('replay of what an edge has logged', () => {
  let directory: string;
  let log: string;
  let cluster: Cluster;
  /** Cached tokens by the kind of request, as clients were told. */
  const reported = { first: 0, later: 0, sub: 0 };
  let requests = 0;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'roost-replay-'));
    log = path.join(directory, 'edge.jsonl');
    cluster = await Cluster.start({
      contextWorkers: 2,
      ranks: 2,
      worker: { kv_cache_config: { tokens_per_block: TOKENS_PER_BLOCK } },
      edge: { edge: { trace_log: log } },
    });
    for (const family of FAMILIES) await liveFamily(family);
    await eventually(async () => (await linesOf(log)).length === requests);
  }, 60_000);

  afterAll(async () => {
    await cluster.settleAndStop();
    await rm(directory, { recursive: true });
  }, 30_000);

  /** A main agent whose prompt grows, and forks of it. */
  async function liveFamily(family: string): Promise<void> {
    let prompt = promptOn(family, 150);
    for (let turn = 0; turn < TURNS; turn += 1) {
      reported[turn === 0 ? 'first' : 'later'] += await send(prompt, { 'x-session-id': family });
      prompt += ` ${promptOn(`${family}${String(turn)}`, 100)}`;
    }
    for (let index = 0; index < SUBAGENTS; index += 1) {
      const id = `${family}-${String(index)}`;
      reported.sub += await send(`${prompt} ${id}`, { 'x-session-id': id, [PARENT_HEADER]: family });
    }
  }

  /** Gives the cached tokens. */
  async function send(prompt: string, headers: Record<string, string>): Promise<number> {
    const body = { model: 'roost-simulated', prompt, max_tokens: 4 };
    const { status, usage } = await ask(cluster.url, 'completions', body, { headers });
    expect(status).toBe(200);
    requests += 1;
    return usage?.cached ?? NaN;
  }

  /** Replays faster than it was served, so that what was finished then is finished in time now. */
  async function replay(...args: string[]): Promise<Replayed> {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [
      REPLAY,
      ...args,
      ...['--json', '--instances', '2', '--ranks-per-instance', '2'],
      ...['--prefill-tokens-per-second', '1e9', '--decode-step-ms', '0'],
    ]);
    const { reports } = JSON.parse(stdout) as { readonly reports: readonly Report[] };
    return { reports: new Map(reports.map((report) => [report.policy, report])), said: stderr };
  }

  const classOf = ({ reports }: Replayed, policy: string, name: string): Report['classes'][string] => {
    const found = reports.get(policy)?.classes[name];
    if (found === undefined) throw new Error(`${policy} has no ${name}`);
    return found;
  };

  it('finds cached what workers found cached, of every class, and so the same share of the oracle', async () => {
    const replayed = await replay(log);
    const served = (name: string): Report['classes'][string] => classOf(replayed, 'conversation+parent', name);
    expect(served('total').requests).toBe(requests);
    expect(served('subFirstFork').requests).toBe(FAMILIES.length * SUBAGENTS);
    expect(served('mainFirst').cachedTokens).toBe(reported.first);
    // A log does not tell what a request came after.
    expect(served('mainTool').cachedTokens).toBe(reported.later);
    expect(served('subFirstFork').cachedTokens).toBe(reported.sub);
    expect(reported.later).toBeGreaterThan(0);
    expect(reported.sub).toBeGreaterThan(0);
    const [causal] = served('total').reuse.causal.global;
    expect(causal?.reusedTokens).toBe(reported.first + reported.later + reported.sub);
    expect(causal?.reusedTokens).toBe(causal?.reusableTokens);
    // Without affinity of sub-agents there would have been less.
    expect(classOf(replayed, 'conversation', 'total').cachedTokens).toBeLessThan(served('total').cachedTokens);
  });

  it('skips the line that a killed edge had no time to finish, and refuses one in the middle', async () => {
    const text = await readFile(log, 'utf8');
    const torn = path.join(directory, 'torn.jsonl');
    await writeFile(torn, text + text.slice(0, 80));
    const replayed = await replay(torn, '--policies', 'conversation+parent');
    expect(classOf(replayed, 'conversation+parent', 'total').requests).toBe(requests);
    expect(replayed.said).toContain(`${torn}, line ${String(requests + 1)}: cut off`);
    await appendFile(torn, `\n${text}`);
    await expect(replay(torn)).rejects.toMatchObject({
      stderr: expect.stringContaining(`${torn}, line ${String(requests + 1)}: not JSON`),
    });
  });

  it('has nothing of what was said in the log', async () => {
    const text = await readFile(log, 'utf8');
    for (const word of [PRIVATE_TEXT, ...FAMILIES]) expect(text).not.toContain(word);
  });

  it('goes on with a log whose last line is cut off', async () => {
    await cluster.kill('edge', 'SIGKILL');
    const text = await readFile(log, 'utf8');
    await appendFile(log, text.slice(0, 80));
    await cluster.restart('edge');
    await send(promptOn('after'), { 'x-session-id': 'after' });
    await eventually(async () => (await linesOf(log)).length === requests);
    const replayed = await replay(log, '--policies', 'conversation+parent');
    expect(classOf(replayed, 'conversation+parent', 'total').requests).toBe(requests);
    expect(replayed.said).not.toContain('cut off');
  });
});

async function linesOf(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8');
  return text.split('\n').filter((line) => line !== '');
}

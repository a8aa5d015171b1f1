import { describe, expect, it } from '@jest/globals';

import { BranchOracle } from '../oracle/branch-oracle.js';
import { spreadOf } from '../report/spread.js';
import type { GeneratedLine } from '../trace/generated/generated-line.js';
import { NO_BLOCKS, promptBlocks } from '../trace/prompt-blocks.js';
import type { TraceSession } from '../trace/trace.js';

import { generateLines, generateTrace } from './generate-trace.js';
import type { TrafficOptions } from './traffic-options.js';

/** Owns: that generated traffic is like the recorded one (agent-traffic reference 2.1, 2.2 and the bands of 3.1). */

const SESSIONS = 200;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;
const median = (values: readonly number[]): number => spreadOf(values)?.p50 ?? NaN;
/** By what share a value differs from what it should be. */
const offBy = (value: number, target: number): number => Math.abs(value / target - 1);
const linesOf = (options: Partial<TrafficOptions>): GeneratedLine[] => [...generateLines(options)];
const agentsOf = (lines: readonly GeneratedLine[]): GeneratedLine[][] => [
  ...Map.groupBy(lines, ({ agent }) => agent).values(),
];
const shareOf = (lines: readonly GeneratedLine[], isCounted: (line: GeneratedLine) => boolean): number =>
  lines.filter(isCounted).length / lines.length;

/** Tokens of a session's prompts, and those that it could reuse of its own, at recorded times and 8,000 tokens a second. */
function reuseOf({ agents }: TraceSession, tokensPerBlock: number, horizons: readonly number[]): number[] {
  const oracle = new BranchOracle(horizons);
  const arrivals = agents.flatMap((agent) => {
    let blocks = NO_BLOCKS;
    return agent.requests.map((request) => ({ request, blocks: (blocks = promptBlocks(blocks, request)) }));
  });
  arrivals.sort((one, other) => one.request.recordedAt - other.request.recordedAt);
  const reusable = horizons.map(() => 0);
  let computing: { readonly until: number; readonly blocks: Uint32Array }[] = [];
  for (const { request, blocks } of arrivals) {
    const now = request.recordedAt;
    for (const done of computing.filter(({ until }) => until <= now)) oracle.remember(done.blocks, done.until);
    computing = computing.filter(({ until }) => until > now);
    const shared = oracle
      .sharedBlocks(blocks, now)
      .map((count) => Math.min(count * tokensPerBlock, request.inputTokens - 1));
    shared.forEach((tokens, at) => (reusable[at] = (reusable[at] ?? 0) + tokens));
    computing.push({ until: now + 300 + (request.inputTokens - (shared[0] ?? 0)) / 8, blocks });
  }
  return reusable;
}

describe.each([1, 2, 3])('generated traffic of seed %i', (seed) => {
  const lines = linesOf({ sessions: SESSIONS, seed });
  const mains = lines.filter(({ kind }) => kind === 'main' || kind === 'compact');
  const subs = lines.filter(({ kind }) => kind === 'spawn' || kind === 'fork');
  const growthOf = (all: readonly GeneratedLine[]): number[] =>
    agentsOf(all)
      .flatMap((own) => own.slice(1).map((line, at) => line.in - (own[at]?.in ?? 0)))
      .filter((tokens) => tokens > 0);

  it('lets a session reuse 94 to 97 % of its prompts, and some 90 % of them within 300 s', () => {
    const { sessions, tokensPerBlock } = generateTrace({ sessions: SESSIONS, seed });
    const reusable = sessions.map((session) => reuseOf(session, tokensPerBlock, [Infinity, 300_000]));
    const tokens = sum(lines.map((line) => line.in));
    const [ever, soon] = [0, 1].map((at) => (100 * sum(reusable.map((each) => each[at] ?? 0))) / tokens);
    expect(ever).toBeGreaterThan(94);
    expect(ever).toBeLessThan(97);
    expect(soon).toBeGreaterThan(89);
    expect(soon).toBeLessThan(91);
  });

  it('has the proportions of the recorded traffic', () => {
    expect(offBy(median(growthOf(mains)), 705)).toBeLessThan(0.15);
    expect(offBy(median(growthOf(subs)), 2600)).toBeLessThan(0.15);
    expect(offBy(sum(mains.map((line) => line.in)) / sum(mains.map(({ out }) => out)), 281)).toBeLessThan(0.15);
    expect(offBy(median(agentsOf(mains).map(([first]) => first?.in ?? 0)), 19_000)).toBeLessThan(0.15);
    expect(offBy(median(agentsOf(mains).map(({ length }) => length)), 45)).toBeLessThan(0.25);
    expect(offBy(median(agentsOf(subs).map(({ length }) => length)), 11)).toBeLessThan(0.15);
    const gaps = mains.map(({ delay_s }) => delay_s);
    expect(offBy(gaps.filter((seconds) => seconds > 300).length / gaps.length, 0.07)).toBeLessThan(0.15);
  });

  it('lets fresh siblings share 98 % of their first prompts, and forks all of their parent', () => {
    const byId = new Map(lines.map((line) => [line.id, line]));
    const firsts = agentsOf(subs).flatMap(([first]) => (first === undefined ? [] : [first]));
    const siblings = [
      ...Map.groupBy(
        firsts.filter(({ kind }) => kind === 'spawn'),
        siblingKey,
      ).values(),
    ];
    const shares = siblings.flatMap(([leader, ...rest]) => rest.map((each) => sharedTokens(leader, each) / each.in));
    expect(shares.length).toBeGreaterThan(20);
    expect(offBy(median(shares), 0.98)).toBeLessThan(0.02);
    const forks = firsts.filter(({ kind }) => kind === 'fork');
    for (const fork of forks) {
      const spawner = byId.get(fork.wait_for[0] ?? '');
      expect(sharedTokens(spawner, fork)).toBe(spawner?.in);
    }
    expect(offBy(forks.length / firsts.length, 0.15)).toBeLessThan(0.6);
  });

  it('spawns, compacts and asks beside its work as much as recorded users do', () => {
    const families = Map.groupBy(lines, ({ root }) => root);
    const spawning = [...families.values()].filter((family) => family.some(({ depth }) => depth > 0));
    expect(offBy(spawning.length / SESSIONS, 0.3)).toBeLessThan(0.25);
    expect(offBy(agentsOf(subs).length / spawning.length, 3.7)).toBeLessThan(0.35);
    expect(
      offBy(
        shareOf(lines, ({ kind }) => kind === 'side'),
        0.025,
      ),
    ).toBeLessThan(0.15);
    expect(lines.filter(({ kind, in: tokens }) => kind === 'side' && tokens >= 1000)).toEqual([]);
    const compacting = new Set(lines.filter(({ kind }) => kind === 'compact').map(({ root }) => root));
    // 17 % of the recorded ones were compacted; here it takes no less to keep prompts and answers in proportion.
    expect(compacting.size / SESSIONS).toBeGreaterThan(0.15);
    expect(compacting.size / SESSIONS).toBeLessThan(0.35);
    const firsts = agentsOf(subs).map(([first]) => first);
    expect(offBy(firsts.filter((line) => line?.trigger === 'stream').length / firsts.length, 1 / 3)).toBeLessThan(0.35);
  });

  it('has parents go on after the last of a batch, but for one batch in 16, and a sub-agent in 20 spawn others', () => {
    const lastOf = new Map(agentsOf(subs).map((own) => [own.at(-1)?.id ?? '', own[0]?.wait_for[0] ?? '']));
    const joined = new Map<string, number>();
    for (const { wait_for, kind } of lines)
      for (const id of kind === 'side' ? [] : wait_for)
        joined.set(lastOf.get(id) ?? '', (joined.get(lastOf.get(id) ?? '') ?? 0) + 1);
    const batches = [...Map.groupBy(lastOf.values(), (spawner) => spawner)];
    const foreground = batches.filter(([spawner, all]) => joined.get(spawner) === all.length);
    const background = batches.filter(([spawner]) => !joined.has(spawner));
    expect(foreground.length + background.length).toBe(batches.length);
    expect(background.length / batches.length).toBeLessThan(0.16);
    expect(background.length).toBeGreaterThan(0);
    const nesting = new Set(lines.filter(({ depth }) => depth > 1).map(({ parent }) => parent));
    expect(Math.abs(nesting.size / agentsOf(subs).length - 0.05)).toBeLessThan(0.04);
    expect(Math.max(...lines.map(({ depth }) => depth))).toBeLessThanOrEqual(3);
  });

  it('gives a tenth of the tenants 70 % of the sessions, and each tenant namespaces of its own', () => {
    const starts = [...Map.groupBy(lines, ({ root }) => root).values()].map(([first]) => first?.tenant ?? '');
    const counts = [...Map.groupBy(starts, (tenant) => tenant).values()].map(({ length }) => length);
    const [one = 0, two = 0] = counts.toSorted((a, b) => b - a);
    expect(offBy((one + two) / SESSIONS, 0.7)).toBeLessThan(0.15);
    const foreign = lines.filter(({ prefix, tenant }) =>
      prefix.some(({ ns }) => !ns.startsWith(`${tenant}/`) && !ns.startsWith(`${tenant}-`)),
    );
    expect(foreign).toEqual([]);
  });

  it('comes in order, waits for earlier lines only, and tells prompts in a few parts', () => {
    const earlier = new Set<string>();
    let latest = 0;
    const wrong: string[] = [];
    for (const { id, t, wait_for } of lines) {
      if (t < latest || !wait_for.every((each) => earlier.has(each))) wrong.push(id);
      earlier.add(id);
      latest = t;
    }
    expect(wrong).toEqual([]);
    expect(mean(lines.map((line) => JSON.stringify(line).length))).toBeLessThan(500);
    expect(Math.max(...lines.map(({ prefix }) => prefix.length))).toBeLessThan(12);
  });
});

function siblingKey({ root, type, model, parent }: GeneratedLine): string {
  return JSON.stringify([root, type, model, parent]);
}

/** How many leading tokens two prompts have in common; equal parts are equal tokens. */
function sharedTokens(one: GeneratedLine | undefined, other: GeneratedLine | undefined): number {
  let tokens = 0;
  for (const [at, part] of (one?.prefix ?? []).entries()) {
    const same = other?.prefix[at];
    if (same?.ns !== part.ns) return tokens;
    tokens += Math.min(same.len, part.len);
    if (same.len !== part.len) return tokens;
  }
  return tokens;
}

describe('generateLines', () => {
  it('gives the same bytes for the same seed, and the same first sessions however many there are', () => {
    const bytes = (seed: number): string => JSON.stringify(linesOf({ sessions: 3, seed }));
    expect(bytes(5)).toBe(bytes(5));
    expect(bytes(5)).not.toBe(bytes(6));
    const ofFirst = (sessions: number): GeneratedLine[] =>
      linesOf({ sessions, seed: 5 }).filter(({ root }) => root.endsWith('-s0'));
    expect(ofFirst(1)).toEqual(ofFirst(4));
  });

  it('starts sessions as far apart and as unsteadily as asked', () => {
    const gapsOf = (arrivalCv: number): number[] => {
      const lines = linesOf({ sessions: 300, seed: 4, arrivalCv, sessionInterval: 10 });
      const starts = [...Map.groupBy(lines, ({ root }) => root).values()].map(([first]) => first?.t ?? 0);
      return starts.slice(1).map((start, at) => start - (starts[at] ?? 0));
    };
    const [steady, unsteady] = [gapsOf(1), gapsOf(4)];
    expect(offBy(mean(steady), 10)).toBeLessThan(0.2);
    expect(median(unsteady)).toBeLessThan(median(steady) / 10);
  });

  it.each([0, 0.5, 1])('makes %d of the sub-agents forks', (forkShare) => {
    const lines = linesOf({ sessions: 60, seed: 2, subagentShare: 1, forkShare });
    const firsts = agentsOf(lines.filter(({ depth }) => depth === 1)).map(([first]) => first);
    const share = firsts.filter((line) => line?.kind === 'fork').length / firsts.length;
    expect(Math.abs(share - forkShare)).toBeLessThan(0.15);
  });

  it('divides tokens and multiplies pauses, and leaves everything else', () => {
    const [plain, small] = [{}, { scale: 16, gapScale: 0.1 }].map((options) =>
      linesOf({ sessions: 5, seed: 3, ...options }),
    );
    const byId = new Map(plain?.map((line) => [line.id, line]));
    expect(small).toHaveLength(byId.size);
    for (const line of small ?? []) {
      const { prefix = [], wait_for = [] } = byId.get(line.id) ?? {};
      expect(line.wait_for).toEqual(wait_for);
      expect(line.prefix).toEqual(prefix.map(({ ns, len }) => ({ ns, len: Math.max(1, Math.round(len / 16)) })));
    }
    const pauses = (lines: readonly GeneratedLine[] = []): number[] =>
      lines.filter(({ kind, trigger }) => kind === 'main' && trigger === 'user').map(({ delay_s }) => delay_s);
    expect(sum(pauses(small)) / sum(pauses(plain))).toBeCloseTo(0.1);
  });

  it('makes every fault when asked for, and none otherwise', () => {
    const faults = (share: number): unknown[] => [
      ...new Set(linesOf({ sessions: 120, seed: 1, subagentShare: 1, faults: share }).map(({ fault }) => fault)),
    ];
    expect(faults(0)).toEqual([undefined]);
    expect(faults(0.3).toSorted()).toEqual([
      'cycle',
      'duplicate_header',
      'long_id',
      'missing_parent',
      'parent_after_child',
      'spoofed_parent',
      'unknown_parent',
      undefined,
    ]);
  });

  it.each([
    [{ sessions: 0.5 }, 'sessions must be a whole number from 1 to 1000000, not 0.5'],
    [{ seed: NaN }, 'seed must be a whole number'],
    [{ forkShare: 1.1 }, 'forkShare must be a number from 0 to 1, not 1.1'],
    [{ arrivalCv: 0 }, 'arrivalCv must be'],
  ])('refuses %j', (options, message) => {
    expect(() => generateLines(options)).toThrow(RangeError);
    expect(() => generateLines(options)).toThrow(message);
  });
});

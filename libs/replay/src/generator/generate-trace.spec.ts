import { describe, expect, it } from '@jest/globals';

import { BranchOracle } from '../oracle/branch-oracle.js';
import { spreadOf } from '../report/spread.js';
import { NO_BLOCKS, promptBlocks } from '../trace/prompt-blocks.js';
import type { Trace, TraceRequest } from '../trace/trace.js';

import { generateRows, generateTrace } from './generate-trace.js';

/** Owns: that generated traffic is like the recorded one (agent-traffic reference 2.1, 2.2 and the bands of 3.1). */

const trace = generateTrace({ sessions: 200, seed: 2 });
const mains = trace.sessions.flatMap(({ agents }) => agents.filter(({ parent }) => parent === null));
const subs = trace.sessions.flatMap(({ agents }) => agents.filter(({ parent }) => parent !== null));
const requests = trace.sessions.flatMap(({ agents }) => agents.flatMap((agent) => agent.requests));

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const median = (values: readonly number[]): number => spreadOf(values)?.p50 ?? NaN;
/** By what share a value differs from what it should be. */
const offBy = (value: number, target: number): number => Math.abs(value / target - 1);

/** Share of prompt tokens, in percent, that a session could reuse of its own, at recorded times and 8,000 tokens a second. */
function treeHit({ sessions, tokensPerBlock }: Trace, horizonMs: number): number {
  let reusable = 0;
  for (const { agents } of sessions) {
    const oracle = new BranchOracle([horizonMs]);
    const arrivals = agents.flatMap((agent) => {
      let blocks = NO_BLOCKS;
      return agent.requests.map((request) => ({ request, blocks: (blocks = promptBlocks(blocks, request)) }));
    });
    arrivals.sort((one, other) => one.request.recordedAt - other.request.recordedAt);
    let computing: { readonly until: number; readonly blocks: Uint32Array }[] = [];
    for (const { request, blocks } of arrivals) {
      const now = request.recordedAt;
      for (const done of computing.filter(({ until }) => until <= now)) oracle.remember(done.blocks, done.until);
      computing = computing.filter(({ until }) => until > now);
      const [shared = 0] = oracle.sharedBlocks(blocks, now);
      const tokens = Math.min(shared * tokensPerBlock, request.inputTokens - 1);
      reusable += tokens;
      computing.push({ until: now + 300 + (request.inputTokens - tokens) / 8, blocks });
    }
  }
  return (100 * reusable) / sum(requests.map(({ inputTokens }) => inputTokens));
}

function growthOf(agentRequests: readonly TraceRequest[]): number[] {
  const growth = agentRequests
    .slice(1)
    .map((request, at) => request.inputTokens - (agentRequests[at]?.inputTokens ?? 0));
  return growth.filter((tokens) => tokens > 0);
}

function sharedBlocks(one: Uint32Array, other: Uint32Array): number {
  const differs = other.findIndex((block, at) => one[at] !== block);
  return differs === -1 ? other.length : differs;
}

describe('generateTrace', () => {
  it('lets a session reuse 94 to 97 % of its prompts, and some 90 % of them within 300 s', () => {
    const [ever, soon] = [treeHit(trace, Infinity), treeHit(trace, 300_000)];
    expect(ever).toBeGreaterThan(94);
    expect(ever).toBeLessThan(97);
    expect(soon).toBeGreaterThan(86.5);
    expect(soon).toBeLessThan(91);
  });

  it('has the proportions of the recorded traffic', () => {
    expect(offBy(median(mains.flatMap((agent) => growthOf(agent.requests))), 705)).toBeLessThan(0.15);
    expect(offBy(median(subs.flatMap((agent) => growthOf(agent.requests))), 2600)).toBeLessThan(0.15);
    const output = sum(requests.map(({ outputTokens }) => outputTokens));
    expect(offBy(sum(requests.map(({ inputTokens }) => inputTokens)) / output, 281)).toBeLessThan(0.15);
    expect(offBy(median(mains.map((agent) => agent.requests[0]?.inputTokens ?? 0)), 19_000)).toBeLessThan(0.15);
    expect(offBy(median(mains.map((agent) => agent.requests.length)), 45)).toBeLessThan(0.25);
    expect(offBy(median(subs.map((agent) => agent.requests.length)), 11)).toBeLessThan(0.15);
  });

  it('lets fresh siblings share 98 % of their first prompts, and forks all of their parent', () => {
    const siblings: number[] = [];
    let forks = 0;
    for (const { agents } of trace.sessions) {
      const [main, ...children] = agents.map((agent) => agent.requests[0]?.added ?? NO_BLOCKS);
      const leaders = new Map<number | undefined, Uint32Array>();
      for (const blocks of children) {
        const leader = leaders.get(blocks[0]);
        leaders.set(blocks[0], leader ?? blocks);
        if (blocks[0] === main?.[0]) forks += 1;
        else if (leader !== undefined) siblings.push(sharedBlocks(leader, blocks) / blocks.length);
      }
    }
    expect(siblings.length).toBeGreaterThan(20);
    expect(offBy(median(siblings), 0.98)).toBeLessThan(0.02);
    expect(offBy(forks / subs.length, 0.15)).toBeLessThan(0.6);
  });

  it('spawns as much as recorded users do', () => {
    const spawning = trace.sessions.filter(({ agents }) => agents.length > 1);
    expect(offBy(spawning.length / trace.sessions.length, 0.3)).toBeLessThan(0.35);
    expect(offBy(subs.length / spawning.length, 3.7)).toBeLessThan(0.35);
  });

  it('is the same for the same seed', () => {
    const rows = (seed: number): unknown[] => [...generateRows({ sessions: 3, seed })];
    expect(rows(5)).toEqual(rows(5));
    expect(rows(5)).not.toEqual(rows(6));
  });

  it.each([0, 0.5, NaN])('refuses %p sessions', (sessions) => {
    expect(() => generateTrace({ sessions, seed: 1 })).toThrow(RangeError);
  });
});

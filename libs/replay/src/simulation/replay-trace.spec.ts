import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import { POLICIES } from '../policies/policies.js';
import type { Policy } from '../policies/policy.js';
import type { ReplayReport } from '../report/replay-report.js';
import { REQUEST_CLASSES, type RequestClass } from '../report/request-class.js';
import { mainReuse } from '../report/tally.js';
import { generatedLine, generatedTraceOf } from '../testing/generated-line.js';
import { row, smallTrace, traceOf } from '../testing/small-trace.js';
import type { GeneratedLine } from '../trace/generated/generated-line.js';
import type { Trace, TraceRequest } from '../trace/trace.js';

import { DEFAULT_REPLAY_OPTIONS, ReplayOptionError, type ReplayOptions } from './replay-options.js';
import { replayTrace } from './replay-trace.js';

/** Owns: the closed loop on a timeline worked out by hand, and what holds for every trace, policy and fleet. */

// A property is a hundred replays: seconds on a busy machine.
jest.setTimeout(60_000);

const SMALL: ReplayOptions = {
  ...DEFAULT_REPLAY_OPTIONS,
  instances: 2,
  ranksPerInstance: 2,
  maxBatchSize: 2,
  maxNumTokens: 256,
  sessionInterval: 2000,
};
const policy = (name: string): Policy => {
  const found = POLICIES.find((each) => each.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};
/** What was reused of what was reusable, on the causal clock and on the instant one. */
const reuseOf = ({ classes }: ReplayReport, name: RequestClass): { causal: number[]; instant: number[] } => {
  const [causal, instant] = [mainReuse(classes[name]), mainReuse(classes[name], 'instant')].map(
    ({ reusedTokens, reusableTokens }) => [reusedTokens, reusableTokens],
  );
  return { causal: causal ?? [], instant: instant ?? [] };
};
const anyTrace = fc.integer().map(smallTrace);
const anyPolicy = fc.constantFrom(...POLICIES);
const anyFleet = fc.record({
  instances: fc.integer({ min: 1, max: 3 }),
  ranksPerInstance: fc.integer({ min: 1, max: 3 }),
  maxBatchSize: fc.integer({ min: 1, max: 3 }),
  maxNumTokens: fc.integer({ min: 1, max: 600 }),
  capacityTokens: fc.constantFrom(Infinity, 90 * 64),
  seed: fc.integer(),
});

describe('replayTrace', () => {
  it('goes through the closed loop as its clock says', () => {
    // 1000 tokens a second, so 64 of them take 64 ms; a token of the answer takes 10 ms, a cache 1 ms for each token.
    const options: ReplayOptions = {
      ...SMALL,
      instances: 1,
      ranksPerInstance: 1,
      prefillTokensPerSecond: 1000,
      decodeStepMs: 10,
      kvBandwidthBytesPerSecond: 1000,
      kvBytesPerToken: 1,
    };
    const trace = traceOf(
      row({ in: 128, out: 3, new: [1, 2] }),
      row({ seq: 1, t: 1, in: 193, out: 2, keep: 2, new: [3], think_s: 0.5 }),
      row({ agent: 'sa00', parent: 'main', t: 0.1, in: 130, out: 0, new: [1, 7] }),
    );
    const report = replayTrace(trace, policy('conversation'), options);
    const { classes, virtualTime, prefillTokens } = report;
    // Main: 128 ms to its first token, 128 ms for its cache, 20 ms for two more tokens: an answer at 276. Then 500 ms of
    // thinking, 65 tokens to compute, 65 ms for what the generation worker has not kept of the cache, and one more token.
    expect(classes.mainFirst.timeToFirstToken?.mean).toBeCloseTo(128);
    expect(classes.mainTool.timeToFirstToken?.mean).toBeCloseTo(65);
    expect(virtualTime).toBeCloseTo(276 + 500 + 65 + 65 + 10);
    // The sub-agent comes at 100 while main computes till 128; then it finds one block, and computes 66 tokens.
    expect(classes.subFirstFork.timeToFirstToken?.mean).toBeCloseTo(28 + 66);
    expect(classes.subFirstFork.cachedTokens).toBe(64);
    expect(reuseOf(report, 'subFirstFork')).toEqual({ causal: [0, 0], instant: [64, 64] });
    expect(classes.mainTool.cachedTokens).toBe(128);
    expect(reuseOf(report, 'mainTool').causal).toEqual([128, 128]);
    expect(prefillTokens).toEqual([[128 + 65 + 66]]);
    // An answer of no token, as the sub-agent's, needs no generation.
    expect([report.kvBytesMoved, report.kvBytesHeld]).toEqual([128 + 65, 128]);
  });

  it('multiplies pauses, and nothing else, by the scale', () => {
    const trace = traceOf(
      row({ in: 64 }),
      row({ seq: 1, t: 100, keep: 1, new: [], think_s: 100 }),
      row({ agent: 'sa00', parent: 'main', t: 10 }),
    );
    const ends = [0, 1, 2].map((thinkScale) =>
      Math.round(replayTrace(trace, policy('conversation'), { ...SMALL, thinkScale }).virtualTime / 1000),
    );
    expect(ends).toEqual([0, 100, 200]);
  });

  it('waits for every answer that a request names, or for none in an open loop', () => {
    // A prompt of one block takes 64 s: three of them one after another, and 1 s between.
    const [first, sub, last] = [
      generatedLine({}),
      generatedLine({ id: 'a', agent: 'a', parent: 's', kind: 'spawn', trigger: 'stream', wait_for: ['s#0'] }),
      generatedLine({ id: 's#1', t: 2, trigger: 'tool', wait_for: ['s#0', 'a'], delay_s: 1 }),
    ];
    const inNamespaceOf = (line: GeneratedLine): GeneratedLine => ({ ...line, prefix: [{ ns: line.id, len: 64 }] });
    const trace = generatedTraceOf(...[first, sub, last].map(inNamespaceOf));
    const slow = { ...SMALL, prefillTokensPerSecond: 1, maxNumTokens: 64 };
    const endOf = (openLoop: boolean): number =>
      replayTrace(trace, policy('round_robin'), { ...slow, openLoop }).virtualTime / 1000;
    expect(endOf(false)).toBeCloseTo(3 * 64 + 1, 0);
    expect(endOf(true)).toBeLessThan(3 * 64);
  });

  it('gives routers the parent that a sub-agent names, whoever that is', () => {
    const prompt = [{ ns: 'system', len: 640 }];
    const sub = { agent: 'a', kind: 'fork', trigger: 'spawn', wait_for: ['s#0'], prefix: prompt } as const;
    const reused = (parent: string | null): number => {
      const children = Array.from({ length: 8 }, (_, at) =>
        generatedLine({ ...sub, id: `a${String(at)}`, agent: `a${String(at)}`, parent, delay_s: 100 * (at + 1) }),
      );
      const trace = generatedTraceOf(generatedLine({ prefix: prompt }), ...children);
      return mainReuse(replayTrace(trace, policy('conversation+parent'), SMALL).classes.subFirstFork).reusedTokens;
    };
    expect(reused('s')).toBe(8 * 9 * 64);
    expect(reused(null)).toBeLessThan(8 * 9 * 64);
  });

  it('places sub-agents by their parent where the policy says so, on instance and rank', () => {
    const spread = Array.from({ length: 8 }, (_, index) =>
      row({ agent: `sa${String(index)}`, parent: 'main', t: 100 * (index + 1), in: 640, new: [[1, 10]] }),
    );
    const trace = traceOf(row({ in: 640, new: [[1, 10]] }), ...spread);
    const reused = (name: string): number =>
      mainReuse(replayTrace(trace, policy(name), SMALL).classes.subFirstFork).reusedTokens;
    expect(reused('conversation+parent')).toBe(8 * 9 * 64);
    expect(reused('conversation')).toBeLessThan(8 * 9 * 64);
    expect(reused('kv_cache_aware')).toBe(8 * 9 * 64);
  });

  it('is the same again for the same seed, and another one for another', () => {
    fc.assert(
      fc.property(anyTrace, anyPolicy, anyFleet, (trace, chosen, fleet) => {
        const run = (): ReplayReport => replayTrace(trace, chosen, { ...SMALL, ...fleet });
        expect(run()).toEqual(run());
      }),
      { numRuns: 50 },
    );
    const trace = traceOf(row({ session: 'a' }), row({ session: 'b' }));
    const [one, other] = [1, 2].map(
      (seed) => replayTrace(trace, policy('round_robin'), { ...SMALL, seed }).virtualTime,
    );
    expect(one).not.toBe(other);
  });

  it('completes every request once, and computes what it has not found', () => {
    fc.assert(
      fc.property(anyTrace, anyPolicy, anyFleet, (trace, chosen, fleet) => {
        const completed: number[] = [];
        const report = replayTrace(trace, chosen, { ...SMALL, ...fleet }, (each) => completed.push(each.completed));
        const { classes, prefillTokens } = report;
        expect(completed).toEqual(Array.from({ length: trace.numRequests }, (_, index) => index + 1));
        expect(REQUEST_CLASSES.reduce((sum, name) => sum + classes[name].requests, 0)).toBe(trace.numRequests);
        expect(classes.total.requests).toBe(trace.numRequests);
        expect(classes.total.inputTokens).toBe(inputTokensOf(trace));
        const computed = prefillTokens.flat().reduce((sum, tokens) => sum + tokens, 0);
        expect(computed).toBe(classes.total.inputTokens - classes.total.cachedTokens);
      }),
    );
  });

  it('never finds more than the oracle that knows all arrivals, and counts no more than either', () => {
    fc.assert(
      fc.property(anyTrace, anyPolicy, anyFleet, (trace, chosen, fleet) => {
        const { classes } = replayTrace(trace, chosen, { ...SMALL, ...fleet });
        for (const name of REQUEST_CLASSES) {
          const { cachedTokens } = classes[name];
          const [causal, instant] = [mainReuse(classes[name]), mainReuse(classes[name], 'instant')];
          expect(cachedTokens).toBeLessThanOrEqual(instant.reusableTokens);
          expect(instant.reusedTokens).toBe(cachedTokens);
          expect(causal.reusedTokens).toBeLessThanOrEqual(causal.reusableTokens);
          expect(causal.reusableTokens).toBeLessThanOrEqual(instant.reusableTokens);
        }
      }),
    );
  });

  it('knows less in a narrower scope and within a shorter horizon', () => {
    const oracleHorizons = [Infinity, 20_000, 1000];
    fc.assert(
      fc.property(anyTrace, anyPolicy, anyFleet, (trace, chosen, fleet) => {
        const { classes } = replayTrace(trace, chosen, { ...SMALL, ...fleet, oracleHorizons });
        for (const name of REQUEST_CLASSES)
          for (const { global, tree, chain } of Object.values(classes[name].reuse)) {
            const reusable = [global, tree, chain].map((reuses) => reuses.map(({ reusableTokens }) => reusableTokens));
            for (const byHorizon of reusable) expect(byHorizon).toEqual(byHorizon.toSorted((a, b) => b - a));
            for (const at of oracleHorizons.keys()) {
              const byScope = reusable.map((byHorizon) => byHorizon[at] ?? 0);
              expect(byScope).toEqual(byScope.toSorted((a, b) => b - a));
            }
          }
      }),
    );
  });

  it('moves what the generation instance has not, whatever the policy', () => {
    fc.assert(
      fc.property(anyTrace, anyPolicy, anyFleet, (trace, chosen, fleet) => {
        const options = { ...SMALL, ...fleet, kvBytesPerToken: 1, generationCapacityTokens: 200 * 64 };
        const { kvBytesMoved, kvBytesHeld } = replayTrace(trace, chosen, options);
        expect(kvBytesMoved + kvBytesHeld).toBe(inputTokensOf(trace, ({ outputTokens }) => outputTokens > 1));
      }),
    );
  });

  it('moves less where an agent comes back to the generation instance that it had', () => {
    const turns = Array.from({ length: 9 }, (_, seq) =>
      row({ seq, t: seq, in: 640, out: 2, keep: seq === 0 ? 0 : 10, new: seq === 0 ? [[1, 10]] : [] }),
    );
    const held = (name: string): number => replayTrace(traceOf(...turns), policy(name), SMALL).kvBytesHeld;
    expect(held('conversation')).toBe(8 * 640 * SMALL.kvBytesPerToken);
    expect(held('round_robin')).toBeLessThan(held('conversation'));
  });

  it('is the oracle itself with one cache for everything', () => {
    const one = { instances: 1, ranksPerInstance: 1, capacityTokens: Infinity };
    fc.assert(
      fc.property(anyTrace, anyPolicy, anyFleet, (trace, chosen, fleet) => {
        const report = replayTrace(trace, chosen, { ...SMALL, ...fleet, ...one });
        for (const name of REQUEST_CLASSES) {
          const { reusedTokens, reusableTokens } = mainReuse(report.classes[name]);
          expect(reusedTokens).toBe(reusableTokens);
        }
      }),
    );
  });

  it('evicts what a small cache has no room for', () => {
    const others = Array.from({ length: 4 }, (_, index) =>
      row({ session: `other-${String(index)}`, in: 640, new: [[1, 10]] }),
    );
    const trace = traceOf(
      row({ in: 640, new: [[1, 10]] }),
      ...others,
      row({ seq: 1, in: 640, keep: 10, new: [], think_s: 1e5 }),
    );
    const one = { ...SMALL, instances: 1, ranksPerInstance: 1 };
    const reused = (capacityTokens: number): number =>
      mainReuse(replayTrace(trace, policy('conversation'), { ...one, capacityTokens }).classes.mainTool).reusedTokens;
    expect(reused(Infinity)).toBe(9 * 64);
    expect(reused(11 * 64)).toBe(0);
  });

  it('refuses a cache that the longest prompt does not fit into, and options that make no sense', () => {
    const trace = traceOf(row({ in: 640, new: [[1, 10]] }));
    const run = (options: Partial<ReplayOptions>) => (): unknown =>
      replayTrace(trace, policy('round_robin'), { ...SMALL, ...options });
    expect(run({ capacityTokens: 703 })).toThrow(
      'capacityTokens must be at least 704 for a prompt of 640 tokens, not 703',
    );
    expect(run({ capacityTokens: 704 })).not.toThrow();
    expect(run({ generationCapacityTokens: 600 })).toThrow(
      'generationCapacityTokens must be at least 704 for 641 tokens',
    );
    expect(run({ oracleHorizons: [] })).toThrow('oracleHorizons must be one or more times greater than 0');
    expect(run({ instances: 0 })).toThrow(ReplayOptionError);
    expect(run({ prefillTokensPerSecond: 0 })).toThrow('prefillTokensPerSecond must be greater than 0, not 0');
    expect(run({ thinkScale: NaN })).toThrow('thinkScale must be a number of at least 0');
    expect(run({ seed: 0.5 })).toThrow('seed must be a whole number');
  });
});

function inputTokensOf({ sessions }: Trace, counts: (request: TraceRequest) => boolean = () => true): number {
  const requests = sessions.flatMap(({ agents }) => agents.flatMap((agent) => agent.requests));
  return requests.filter(counts).reduce((sum, { inputTokens }) => sum + inputTokens, 0);
}

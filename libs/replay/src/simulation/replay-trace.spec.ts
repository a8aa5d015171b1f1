import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { POLICIES } from '../policies/policies.js';
import type { Policy } from '../policies/policy.js';
import type { ReplayReport } from '../report/replay-report.js';
import { REQUEST_CLASSES } from '../report/request-class.js';
import { row, smallTrace, traceOf } from '../testing/small-trace.js';
import type { Trace } from '../trace/trace.js';

import { DEFAULT_REPLAY_OPTIONS, ReplayOptionError, type ReplayOptions } from './replay-options.js';
import { replayTrace } from './replay-trace.js';

/** Owns: the closed loop on a timeline worked out by hand, and what holds for every trace, policy and fleet. */

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
      row({ seq: 1, t: 1, in: 193, out: 1, keep: 2, new: [3], think_s: 0.5 }),
      row({ agent: 'sa00', parent: 'main', t: 0.1, in: 130, out: 0, new: [1, 7] }),
    );
    const { classes, virtualTime, prefillTokens } = replayTrace(trace, policy('conversation'), options);
    // Main: 128 ms to its first token, 128 ms for its cache, 20 ms for two more tokens: an answer at 276. Then 500 ms of
    // thinking, 65 tokens to compute, and 193 ms for the cache.
    expect(classes.mainFirst.timeToFirstToken?.mean).toBeCloseTo(128);
    expect(classes.rest.timeToFirstToken?.mean).toBeCloseTo(65);
    expect(virtualTime).toBeCloseTo(276 + 500 + 65 + 193);
    // The sub-agent comes at 100 while main computes till 128; then it finds one block, and computes 66 tokens.
    expect(classes.subFirst.timeToFirstToken?.mean).toBeCloseTo(28 + 66);
    expect(classes.subFirst).toMatchObject({ cachedTokens: 64, reusableTokens: 0, instantlyReusableTokens: 64 });
    expect(classes.rest).toMatchObject({ cachedTokens: 128, reusableTokens: 128, reusedTokens: 128 });
    expect(prefillTokens).toEqual([[128 + 65 + 66]]);
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

  it('places sub-agents by their parent where the policy says so, on instance and rank', () => {
    const spread = Array.from({ length: 8 }, (_, index) =>
      row({ agent: `sa${String(index)}`, parent: 'main', t: 100 * (index + 1), in: 640, new: [[1, 10]] }),
    );
    const trace = traceOf(row({ in: 640, new: [[1, 10]] }), ...spread);
    const reused = (name: string): number => replayTrace(trace, policy(name), SMALL).classes.subFirst.reusedTokens;
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
          const { cachedTokens, instantlyReusableTokens, instantlyReusedTokens, ...causal } = classes[name];
          expect(cachedTokens).toBeLessThanOrEqual(instantlyReusableTokens);
          expect(instantlyReusedTokens).toBe(cachedTokens);
          expect(causal.reusedTokens).toBeLessThanOrEqual(causal.reusableTokens);
          expect(causal.reusableTokens).toBeLessThanOrEqual(instantlyReusableTokens);
        }
      }),
    );
  });

  it('is the oracle itself with one cache for everything', () => {
    const one = { instances: 1, ranksPerInstance: 1, capacityTokens: Infinity };
    fc.assert(
      fc.property(anyTrace, anyPolicy, anyFleet, (trace, chosen, fleet) => {
        const { classes } = replayTrace(trace, chosen, { ...SMALL, ...fleet, ...one });
        for (const name of REQUEST_CLASSES) expect(classes[name].reusedTokens).toBe(classes[name].reusableTokens);
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
      replayTrace(trace, policy('conversation'), { ...one, capacityTokens }).classes.rest.reusedTokens;
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
    expect(run({ instances: 0 })).toThrow(ReplayOptionError);
    expect(run({ prefillTokensPerSecond: 0 })).toThrow('prefillTokensPerSecond must be greater than 0, not 0');
    expect(run({ thinkScale: NaN })).toThrow('thinkScale must be a number of at least 0');
    expect(run({ seed: 0.5 })).toThrow('seed must be a whole number');
  });
});

function inputTokensOf({ sessions }: Trace): number {
  const requests = sessions.flatMap(({ agents }) => agents.flatMap((agent) => agent.requests));
  return requests.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
}

import { describe, expect, it } from '@jest/globals';
import type { BalanceOptions } from '@roost/adp-router';
import fc from 'fast-check';

import type { FleetPolicy, Policy } from '../policies/policy.js';
import { row, smallTrace, traceOf } from '../testing/small-trace.js';

import { DEFAULT_REPLAY_OPTIONS, type ReplayOptions } from './replay-options.js';
import { replayTrace } from './replay-trace.js';

/** Owns: that instances hold requests back as workers with the same `attention_dp_config` do; the rules are adp-router's. */

/** 1000 tokens a second and 128 in an iteration, so that one takes 128 ms; one instance of two ranks, in either fleet. */
const OPTIONS: ReplayOptions = {
  ...DEFAULT_REPLAY_OPTIONS,
  instances: 1,
  ranksPerInstance: 2,
  generationInstances: 1,
  generationRanksPerInstance: 2,
  maxBatchSize: 4,
  maxNumTokens: 128,
  prefillTokensPerSecond: 1000,
  decodeStepMs: 10,
  kvBandwidthBytesPerSecond: Infinity,
  sessionInterval: 0,
};

function policyOf(context: BalanceOptions, generation: BalanceOptions = {}): Policy {
  const fleet = (attentionDp: BalanceOptions): FleetPolicy => ({
    router: { type: 'round_robin', args: {} },
    subagentKey: 'own',
    attentionDp,
  });
  return { name: 'balanced', context: fleet(context), generation: fleet(generation) };
}

describe('an instance that balances', () => {
  // Two prompts keep both ranks busy for five iterations, till 640 ms; the last of them leaves the first rank 40 tokens.
  const busy = [row({ session: 'a', in: 600, new: [[1, 9]] }), row({ session: 'b', in: 640, new: [[1, 10]] })];
  const late = row({ session: 'a', agent: 'late', parent: 'main', t: 0.1, in: 40, new: [] });
  const trace = traceOf(...busy, late);

  /** When the late request, which comes at 100 ms in the first iteration, has its first token. */
  const firstTokenOf = (balance: BalanceOptions): number =>
    100 + (replayTrace(trace, policyOf(balance), OPTIONS).classes.subFirstFresh.timeToFirstToken?.mean ?? NaN);

  it.each<[string, BalanceOptions, number]>([
    ['does not hold unless told to', { timeout_iters: 50 }, 640],
    ['holds for as long as it may, and no longer', { enable_balance: true, timeout_iters: 4 }, 640],
    ['holds until a rank has nothing to do', { enable_balance: true, timeout_iters: 5 }, 680],
    ['never holds beyond that', { enable_balance: true, timeout_iters: 1_000_000 }, 680],
  ])('%s: %j', (_, balance, expected) => {
    expect(firstTokenOf(balance)).toBeCloseTo(expected);
  });

  it('holds answers back where the generation fleet balances, by steps of decoding', () => {
    const end = (generation: BalanceOptions): number => {
      const answers = traceOf(
        row({ session: 'a', in: 64, out: 101 }),
        row({ session: 'b', in: 64, out: 101, new: [2] }),
        row({ session: 'a', agent: 'late', parent: 'main', t: 0.5, in: 64, out: 201, new: [3] }),
      );
      return replayTrace(answers, policyOf({}, generation), OPTIONS).virtualTime;
    };
    // The third comes at 564 ms to ranks that decode till 1064 ms both.
    const free = end({});
    expect(end({ enable_balance: true, timeout_iters: 30 }) - free).toBeCloseTo(300);
    expect(end({ enable_balance: true, timeout_iters: 0, batching_wait_iters: 0 })).toBe(free);
    expect(end({ enable_balance: true, timeout_iters: 1_000_000 }) - free).toBeCloseTo(500);
  });

  it('completes every request, whatever the limits', () => {
    const limits = fc.record({
      enable_balance: fc.constant(true),
      timeout_iters: fc.constantFrom(0, 1, 7, 1_000_000),
      batching_wait_iters: fc.constantFrom(0, 1, 7, 1_000_000),
    });
    fc.assert(
      fc.property(fc.integer().map(smallTrace), limits, limits, (anyTrace, context, generation) => {
        const { classes } = replayTrace(anyTrace, policyOf(context, generation), { ...OPTIONS, maxBatchSize: 2 });
        expect(classes.total.requests).toBe(anyTrace.numRequests);
      }),
    );
  });
});

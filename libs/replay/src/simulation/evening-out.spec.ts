import { describe, expect, it } from '@jest/globals';

import { POLICIES } from '../policies/policies.js';
import type { ReplayReport } from '../report/replay-report.js';
import { mainReuse } from '../report/tally.js';
import { row, traceOf } from '../testing/small-trace.js';
import type { TraceRow } from '../trace/trace-row.js';

import { DEFAULT_REPLAY_OPTIONS } from './replay-options.js';
import { replayTrace } from './replay-trace.js';

/** Owns: that the router's `rebalance_idle_sec` evens a fleet out as a whole; its rules are fleet-router's. */

const HOUR = 3600;

/** Conversations of two stretches an hour and more apart; every request has ten blocks more than the one before. */
function conversation(name: string, start: number, requests: number): TraceRow[] {
  return Array.from({ length: 2 * requests }, (_, seq) =>
    row({
      ...{ session: name, start, seq, t: seq, in: 640 * (seq + 1), keep: 10 * seq, new: [[10 * seq + 1, 10]] },
      ...{ think_s: seq === requests ? HOUR : 1 },
    }),
  );
}

describe('a fleet of two instances that long and short conversations come to by turns', () => {
  const trace = traceOf(
    ...[0, 1, 2, 3, 4, 5].flatMap((turn) => conversation(`s${String(turn)}`, 100 * turn, turn % 2 === 0 ? 20 : 2)),
  );

  function replay(args: Readonly<Record<string, unknown>>): ReplayReport {
    const policy = POLICIES.find(({ name }) => name === 'conversation+parent');
    if (policy === undefined) throw new Error('no such policy');
    const context = { ...policy.context, router: { type: 'conversation', args } };
    return replayTrace(trace, { ...policy, context }, { ...DEFAULT_REPLAY_OPTIONS, instances: 2 });
  }

  it('is uneven, and is not where conversations may move after an hour', () => {
    const [without, even] = [replay({}), replay({ rebalance_idle_sec: HOUR })];
    expect(without.prefillImbalance.instances).toBeGreaterThan(1.7);
    expect(even.prefillImbalance.instances).toBeLessThan(1.4);
  });

  it('pays for it with the caches of those that move, which each does once at most: it pauses once', () => {
    const { total } = replay({ rebalance_idle_sec: HOUR }).classes;
    const { reusableTokens, reusedTokens } = mainReuse(total);
    // What the three long and the three short ones have after their first stretch.
    const histories = 3 * (20 + 2) * 640;
    expect(reusedTokens).toBeLessThan(reusableTokens);
    expect(reusableTokens - reusedTokens).toBeLessThanOrEqual(histories);
    expect(mainReuse(replay({}).classes.total).reusedTokens).toBe(reusableTokens);
  });
});

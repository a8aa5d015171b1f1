import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import { ALL_POLICIES } from '../policies/policies.js';
import type { Policy } from '../policies/policy.js';
import type { ReplayReport } from '../report/replay-report.js';
import { row, smallTrace, traceOf } from '../testing/small-trace.js';
import type { TraceRow } from '../trace/trace-row.js';

import { DEFAULT_REPLAY_OPTIONS, type ReplayOptions } from './replay-options.js';
import { replayTrace } from './replay-trace.js';

/** Owns: who is held back, until when, and that this ends; on timelines worked out by hand, and for every trace. */

// A property is a hundred replays: seconds on a busy machine.
jest.setTimeout(60_000);

/** 64 tokens an iteration, which takes 64 ms. */
const OPTIONS: ReplayOptions = {
  ...DEFAULT_REPLAY_OPTIONS,
  instances: 2,
  ranksPerInstance: 2,
  maxNumTokens: 64,
  prefillTokensPerSecond: 1000,
  sessionInterval: 0,
};

function policyOf(name: string, holdMs?: number): Policy {
  const policy = ALL_POLICIES.find((each) => each.name === name);
  if (policy === undefined) throw new Error(name);
  return { ...policy, ...(holdMs === undefined ? {} : { holdMs }) };
}

/** Sub-agents of a main agent whose own request is next to nothing; they come a tenth of a second apart, from 100 ms on. */
function siblings(...prompts: readonly Partial<TraceRow>[]): ReturnType<typeof traceOf> {
  const rows = prompts.map((prompt, index) =>
    row({ agent: `sa${String(index)}`, parent: 'main', t: 0.1 * (index + 1), ...prompt }),
  );
  return traceOf(row({ in: 1, new: [] }), ...rows);
}

const replay = (trace: ReturnType<typeof traceOf>, policy: Policy): ReplayReport => replayTrace(trace, policy, OPTIONS);
/** Tokens that sub-agents found cached, how many were held, how many of them till the end, and for how long in all. */
function outcomeOf({ classes, holds }: ReplayReport): (number | undefined)[] {
  const total = Math.round((holds?.time?.mean ?? 0) * (holds?.requests ?? 0));
  return [classes.subFirstFresh.cachedTokens, holds?.requests, holds?.timedOut, total];
}

describe('holding followers back', () => {
  const alike = siblings({ in: 640, new: [[1, 10]] }, { in: 700, new: [[1, 10], 20] });

  it('is nothing where the policy says nothing of it', () => {
    const report = replay(alike, policyOf('conversation+parent'));
    expect(report.holds).toBeNull();
    // The second one comes to the rank at 200 ms, when the first has computed two blocks at the end of the iteration.
    expect(report.classes.subFirstFresh.cachedTokens).toBe(128);
  });

  it('lasts until what is shared is there', () => {
    // The leader computes from 100 ms on, 64 tokens every 64 ms: all ten blocks are there at 740 ms. The follower came at 200.
    expect(outcomeOf(replay(alike, policyOf('conversation+parent+hold')))).toEqual([640, 1, 0, 540]);
  });

  it('does not last until the leader is ready, when less is shared', () => {
    const little = siblings(
      { in: 640, new: [[1, 10]] },
      {
        in: 640,
        new: [
          [1, 3],
          [30, 7],
        ],
      },
    );
    expect(outcomeOf(replay(little, policyOf('conversation+parent+hold')))).toEqual([192, 1, 0, 92]);
  });

  it('ends when the time is up', () => {
    const [, requests, timedOut, time] = outcomeOf(replay(alike, policyOf('conversation+parent+hold', 50)));
    expect([requests, timedOut, time]).toEqual([1, 1, 50]);
  });

  it('is for what can be reused, and only where it is computed', () => {
    // Of a prompt of one block, the last token of which has to be computed, none can.
    const short = siblings({ in: 640, new: [[1, 10]] }, { in: 64, new: [1] });
    expect(outcomeOf(replay(short, policyOf('conversation+parent+hold')))).toEqual([0, 0, 0, 0]);
    // Each by its own conversation they are on different instances.
    expect(outcomeOf(replay(alike, policyOf('conversation+hold')))).toEqual([0, 0, 0, 0]);
  });

  it('has who went on lead those behind', () => {
    const threefold = siblings(
      { in: 640, new: [[1, 10]] },
      {
        in: 640,
        new: [
          [1, 3],
          [30, 7],
        ],
      },
      {
        in: 640,
        new: [
          [1, 3],
          [30, 7],
        ],
      },
    );
    const [cached, requests, timedOut] = outcomeOf(replay(threefold, policyOf('conversation+parent+hold')));
    // The third waits for three blocks with the second, and then for all that the second can give it.
    expect([cached, requests, timedOut]).toEqual([192 + 576, 2, 0]);
  });

  it('keeps groups of siblings apart by family and type', () => {
    const sameType = { in: 640, new: [[1, 10]] as [number, number][], subagent_type: 'Explore' };
    const trace = siblings(sameType, { ...sameType, t: 9 }, { ...sameType, t: 18, subagent_type: 'Plan' });
    expect(replay(trace, policyOf('sibling_group')).classes.subFirstFresh.cachedTokens).toBe(576);
    expect(replay(trace, policyOf('conversation+parent')).classes.subFirstFresh.cachedTokens).toBe(2 * 576);
  });

  it('holds nobody longer than it may, and completes every request', () => {
    const held = ALL_POLICIES.filter(({ holdMs }) => holdMs !== undefined);
    expect(held).toHaveLength(7);
    fc.assert(
      fc.property(
        fc.integer().map(smallTrace),
        fc.constantFrom(...held),
        fc.integer({ min: 1, max: 3000 }),
        fc.constantFrom(Infinity, 90 * 64),
        (trace, policy, holdMs, capacityTokens) => {
          const { classes, holds } = replayTrace(trace, { ...policy, holdMs }, { ...OPTIONS, capacityTokens });
          expect(classes.total.requests).toBe(trace.numRequests);
          expect(holds?.time?.p99 ?? 0).toBeLessThanOrEqual(holdMs + 1e-6);
          expect(holds?.timedOut).toBeLessThanOrEqual(holds?.requests ?? 0);
        },
      ),
    );
  });
});

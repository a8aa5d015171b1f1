import { describe, expect, it } from '@jest/globals';

import { generateTrace } from '../generator/generate-trace.js';
import { POLICIES } from '../policies/policies.js';
import type { ReplayReport } from '../report/replay-report.js';
import { mainReuse } from '../report/tally.js';

import { DEFAULT_REPLAY_OPTIONS } from './replay-options.js';
import { replayTrace } from './replay-trace.js';

/**
 * Owns: the bars that affinity is held to, with cache enough, on made-up traffic; the recorded traces are no part of the
 * repository (docs/replay.md has their figures).
 */

const TRACE = generateTrace({ sessions: 24, seed: 1 });

function replay(name: string): ReplayReport {
  const policy = POLICIES.find((each) => each.name === name);
  if (policy === undefined) throw new Error(name);
  return replayTrace(TRACE, policy, DEFAULT_REPLAY_OPTIONS);
}

/** From 0 to 1, on the causal clock, of all sessions and without a horizon. */
function shareOf({ classes }: ReplayReport, name: 'total' | 'subFirstFresh' | 'subFirstFork'): number {
  const { reusedTokens, reusableTokens } = mainReuse(classes[name]);
  return reusedTokens / reusableTokens;
}

describe('affinity of sub-agents', () => {
  const without = replay('conversation');
  const [parent, root] = [replay('conversation+parent'), replay('conversation+root')];

  it('reuses 99 % of what the oracle could, and never less than the same policy without it', () => {
    for (const report of [parent, root]) {
      expect(shareOf(report, 'total')).toBeGreaterThanOrEqual(0.99);
      for (const name of ['total', 'subFirstFresh', 'subFirstFork'] as const)
        expect(shareOf(report, name)).toBeGreaterThanOrEqual(shareOf(without, name));
    }
  });

  it('lets a fork find what its parent has computed', () => {
    expect(shareOf(parent, 'subFirstFork')).toBeGreaterThan(0.95);
  });

  it('has no instance compute more than half as much again as the mean', () => {
    for (const report of [parent, root]) expect(report.prefillImbalance.instances).toBeLessThanOrEqual(1.5);
  });
});

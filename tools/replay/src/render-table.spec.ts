import { describe, expect, it } from '@jest/globals';
import { DEFAULT_REPLAY_OPTIONS, generateTrace, POLICIES, replayTrace } from '@roost/replay';

import { renderTable } from './render-table.js';

/** Owns: that the table says what the reports say. */

describe('renderTable', () => {
  it('has a row for each policy, with its shares and times', () => {
    const trace = generateTrace({ sessions: 2, seed: 1 });
    const reports = POLICIES.slice(0, 2).map((policy) => ({
      ...replayTrace(trace, policy, DEFAULT_REPLAY_OPTIONS),
      virtualTime: 5000_000,
      wallTime: 2000,
    }));
    const rows = renderTable(reports).split('\n');
    for (const { policy, classes, prefillImbalance } of reports) {
      const { reusedTokens, reusableTokens, timeToFirstToken } = classes.rest;
      const cells = rows
        .find((each) => each.includes(policy))
        ?.split('│')
        .map((cell) => cell.trim());
      expect(cells?.slice(1, 8)).toEqual([
        policy,
        '0.0',
        '-',
        '-',
        ((100 * reusedTokens) / reusableTokens).toFixed(1),
        ((100 * classes.total.reusedTokens) / classes.total.reusableTokens).toFixed(1),
        prefillImbalance.instances.toFixed(2),
      ]);
      expect(cells?.[11]).toMatch(new RegExp(`^${((timeToFirstToken?.mean ?? 0) / 1000).toFixed(2)} / `));
      expect(cells?.slice(12, 14)).toEqual(['2.0 s', '2,500']);
    }
  });
});

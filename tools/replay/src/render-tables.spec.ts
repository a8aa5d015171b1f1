import { describe, expect, it } from '@jest/globals';
import { DEFAULT_REPLAY_OPTIONS, generateTrace, mainReuse, POLICIES, replayTrace, type Reuse } from '@roost/replay';

import { renderTables } from './render-tables.js';

/** Owns: that the tables say what the reports say. */

const TRACE = generateTrace({ sessions: 2, seed: 1 });
const REPORTS = POLICIES.slice(0, 2).map((policy) => ({
  ...replayTrace(TRACE, policy, DEFAULT_REPLAY_OPTIONS),
  virtualTime: 5000_000,
  wallTime: 2000,
}));
const share = ({ reusedTokens, reusableTokens }: Reuse): string =>
  reusableTokens === 0 ? '-' : ((100 * reusedTokens) / reusableTokens).toFixed(1);

/** The cells of a policy, of each table. */
function cellsOf(policy: string): string[][] {
  const rows = renderTables(REPORTS).split('\n');
  return rows
    .filter((row) => row.includes(`│ ${policy} `))
    .map((row) =>
      row
        .split('│')
        .slice(2, -1)
        .map((cell) => cell.trim()),
    );
}

describe('renderTables', () => {
  it('has what was held back, where a policy holds', () => {
    const [plain, other] = REPORTS;
    if (plain === undefined || other === undefined) throw new Error('no reports');
    const time = { mean: 1, p50: 1450, p95: 2000, p99: 2284 };
    const text = renderTables([plain, { ...other, holds: { requests: 17, timedOut: 2, time } }]);
    const table = text.slice(text.indexOf('Held back'));
    expect(table).toMatch(/round_robin +│ - +│ - +│ -/);
    expect(table).toMatch(/load_balancing +│ 17 +│ 2 +│ 1\.45 \/ 2\.28/);
    expect(renderTables(REPORTS)).not.toContain('Held back');
  });

  it.each(REPORTS)('has the shares, cost and times of $policy', (report) => {
    const { classes, prefillImbalance } = report;
    const [byClass = [], byOracle = [], cost = [], times = []] = cellsOf(report.policy);
    expect(byClass.slice(0, 3)).toEqual(
      [classes.mainFirst, classes.mainUser, classes.mainTool].map((each) => share(mainReuse(each))),
    );
    expect(byClass.at(-1)).toBe(share(mainReuse(classes.total)));
    const { causal, instant } = classes.total.reuse;
    expect(byOracle).toEqual(
      [causal.global, causal.tree, causal.chain, instant.global, instant.tree, instant.chain].map((reuses) =>
        reuses.map(share).join(' / '),
      ),
    );
    expect(cost.slice(2, 4)).toEqual([prefillImbalance.instances.toFixed(2), prefillImbalance.ranks.toFixed(2)]);
    expect(cost.slice(-2)).toEqual(['2.0 s', '2,500']);
    expect(times[2]).toMatch(new RegExp(`^${((classes.mainTool.timeToFirstToken?.p50 ?? 0) / 1000).toFixed(2)} / `));
  });

  it('is nothing for nothing', () => expect(renderTables([])).toBe(''));
});

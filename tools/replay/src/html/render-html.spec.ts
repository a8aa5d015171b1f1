import { describe, expect, it } from '@jest/globals';
import { DEFAULT_REPLAY_OPTIONS, generateTrace, mainReuse, POLICIES, replayTrace } from '@roost/replay';

import { renderHtml } from './render-html.js';
import type { Chart } from './report-data.js';

/** Owns: that the page says what the reports say, and that it needs nothing else. */

const TRACE = generateTrace({ sessions: 2, seed: 1 });
const REPORTS = POLICIES.slice(0, 2).map((policy) => {
  return { ...replayTrace(TRACE, policy, DEFAULT_REPLAY_OPTIONS), wallTime: 1 };
});

function page(title = 'a trace'): string {
  return renderHtml({ title, options: DEFAULT_REPLAY_OPTIONS, reports: REPORTS });
}

function chartsOf(html: string): Chart[] {
  const [, json = ''] = /<script type="application\/json" id="charts">(.*?)<\/script>/s.exec(html) ?? [];
  return JSON.parse(json) as Chart[];
}

describe('renderHtml', () => {
  it('draws the shares, times, imbalance, cost and KV moved of every policy', () => {
    const charts = chartsOf(page());
    expect(charts.map(({ id }) => id)).toEqual([
      'share',
      'oracles-total',
      'oracles-subFirst',
      'ttft-p50',
      'ttft-p95',
      'imbalance',
      'cost',
      'kv',
    ]);
    for (const { policies, series } of charts) {
      expect(policies).toEqual(['round_robin', 'load_balancing']);
      for (const { values } of series) expect(values).toHaveLength(2);
    }
    const valuesOf = (id: string, name: string): readonly (number | null)[] =>
      charts.find((chart) => chart.id === id)?.series.find((series) => series.name === name)?.values ?? [];
    const share = ({ reusedTokens, reusableTokens }: { reusedTokens: number; reusableTokens: number }): number =>
      (100 * reusedTokens) / reusableTokens;
    expect(valuesOf('share', 'all')).toEqual(REPORTS.map(({ classes }) => share(mainReuse(classes.total))));
    expect(valuesOf('oracles-total', 'instant, 300 s')).toEqual(
      REPORTS.map(({ classes }) =>
        share(classes.total.reuse.instant.global[2] ?? { reusedTokens: 0, reusableTokens: 0 }),
      ),
    );
    expect(valuesOf('kv', 'sent')).toEqual(REPORTS.map(({ kvBytesMoved }) => kvBytesMoved / 1e9));
  });

  it('has the share of every oracle in its tables', () => {
    const html = page();
    for (const { classes } of REPORTS)
      for (const clock of ['causal', 'instant'] as const)
        for (const { reusedTokens, reusableTokens } of Object.values(classes.mainTool.reuse[clock]).flat())
          expect(html).toContain(
            `<td>${((100 * reusedTokens) / reusableTokens).toFixed(1)} (${(reusableTokens / 1e6).toFixed(2)})</td>`,
          );
  });

  it('loads nothing, and says so to the browser', () => {
    const html = page();
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/<(?:script|img|link|iframe)[^>]*\b(?:src|href)=/);
    expect(html).not.toContain('sourceMappingURL');
    expect(html.match(/<script/g)?.length).toBe(html.match(/<\/script>/g)?.length);
  });

  it('shows the names of files as text', () => {
    expect(page('</title><script>alert(1)</script>')).not.toContain('<script>alert');
  });
});

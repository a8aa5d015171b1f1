import { describe, expect, it } from '@jest/globals';
import { DEFAULT_REPLAY_OPTIONS, generateTrace, POLICIES, replayTrace } from '@roost/replay';

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
    expect(charts.map(({ id }) => id)).toEqual(['share', 'ttft-p50', 'ttft-p95', 'imbalance', 'cost', 'kv']);
    for (const { policies, series } of charts) {
      expect(policies).toEqual(['round_robin', 'load_balancing']);
      for (const { values } of series) expect(values).toHaveLength(2);
    }
    const [shares, moved] = [charts[0], charts.at(-1)].map((chart) => chart?.series.at(-1)?.values);
    expect(shares).toEqual(REPORTS.map(({ classes: { total } }) => (100 * total.reusedTokens) / total.reusableTokens));
    expect(moved).toEqual(
      REPORTS.map(({ classes: { total } }) => (total.inputTokens * DEFAULT_REPLAY_OPTIONS.kvBytesPerToken) / 1e9),
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

import type { ClassReport, Spread } from '@roost/replay';
import Table from 'cli-table3';

import type { TimedReport } from './timed-report.js';

const NOTHING = '-';

/** The reports as one table for a terminal. */
export function renderTable(reports: readonly TimedReport[]): string {
  const table = new Table({ style: { head: [], border: [], compact: true } });
  table.push(
    [
      '',
      { content: 'reused, % of the oracle', colSpan: 5, hAlign: 'center' },
      { content: 'prefill max/mean', colSpan: 2, hAlign: 'center' },
      { content: 'time to first token in s: mean / p50 / p95', colSpan: 3, hAlign: 'center' },
      { content: 'replay', colSpan: 2, hAlign: 'center' },
    ],
    [
      'policy',
      '1st main',
      '1st sub',
      '(instant)',
      'rest',
      'total',
      'inst.',
      'ranks',
      '1st main',
      '1st sub',
      'rest',
      'wall',
      'x faster',
    ],
    ...reports.map(rowOf),
  );
  return table.toString();
}

function rowOf({ policy, classes, prefillImbalance, virtualTime, wallTime }: TimedReport): string[] {
  const { mainFirst, subFirst, rest, total } = classes;
  return [
    policy,
    causalShare(mainFirst),
    causalShare(subFirst),
    percent(subFirst.instantlyReusedTokens, subFirst.instantlyReusableTokens),
    causalShare(rest),
    causalShare(total),
    prefillImbalance.instances.toFixed(2),
    prefillImbalance.ranks.toFixed(2),
    ...[mainFirst, subFirst, rest].map(({ timeToFirstToken }) => seconds(timeToFirstToken)),
    `${(wallTime / 1000).toFixed(1)} s`,
    Math.round(virtualTime / wallTime).toLocaleString('en'),
  ];
}

function causalShare({ reusedTokens, reusableTokens }: ClassReport): string {
  return percent(reusedTokens, reusableTokens);
}

function percent(part: number, whole: number): string {
  return whole === 0 ? NOTHING : ((100 * part) / whole).toFixed(1);
}

function seconds(spread: Spread | null): string {
  if (spread === null) return NOTHING;
  return [spread.mean, spread.p50, spread.p95].map((milliseconds) => (milliseconds / 1000).toFixed(2)).join(' / ');
}

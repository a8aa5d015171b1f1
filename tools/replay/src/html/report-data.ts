import type { ReplayOptions } from '@roost/replay';

import type { TimedReport } from '../timed-report.js';

/** What a report is about. */
export interface ReportSubject {
  /** Where the trace comes from and how large it is, in words. */
  readonly title: string;
  readonly options: ReplayOptions;
  readonly reports: readonly TimedReport[];
}

/** One bar chart: a group of bars for each policy. */
export interface Chart {
  readonly id: string;
  readonly title: string;
  /** What is shown and how to read it. */
  readonly explanation: string;
  readonly unit: string;
  readonly logarithmic: boolean;
  readonly policies: readonly string[];
  /** A value a policy; null where there is none. */
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
}

/** Names of the request classes, for people. */
export const CLASS_NAMES = {
  mainFirst: 'first request of a main agent',
  subFirst: 'first request of a sub-agent',
  rest: 'later requests',
  total: 'all',
} as const;

type ClassName = keyof typeof CLASS_NAMES;

const CLASSES: readonly ClassName[] = ['mainFirst', 'subFirst', 'rest', 'total'];

type MakeChart = (fields: Omit<Chart, 'policies' | 'logarithmic'> & Partial<Chart>) => Chart;
type MakeSeries = (name: string, value: (report: TimedReport) => number | null) => Chart['series'][number];

/** The charts of a report. */
export function chartsOf(reports: readonly TimedReport[]): readonly Chart[] {
  const policies = reports.map(({ policy }) => policy);
  const chart: MakeChart = (fields) => ({ policies, logarithmic: false, ...fields });
  const series: MakeSeries = (name, value) => ({ name, values: reports.map(value) });
  return [
    chart({
      id: 'share',
      title: 'Reused, in % of what the oracle could have reused',
      explanation:
        'Prompt tokens that engines found in their caches, capped for each request at what the oracle would have found, over the latter. Causal clock. No bar: nothing was reusable.',
      unit: '%',
      series: CLASSES.map((name) => series(CLASS_NAMES[name], ({ classes }) => shareOf(classes[name]))),
    }),
    ...(['p50', 'p95'] as const).map((rank) =>
      chart({
        id: `ttft-${rank}`,
        title: `Time to first token, ${rank === 'p50' ? 'median' : '95th percentile'}`,
        explanation:
          'From the arrival of a request to its first token: queue, and the prefill of what was not cached. The axis is logarithmic.',
        unit: 's',
        logarithmic: true,
        series: CLASSES.slice(0, 3).map((name) =>
          series(CLASS_NAMES[name], ({ classes }) => inSeconds(classes[name].timeToFirstToken?.[rank])),
        ),
      }),
    ),
    ...costCharts(chart, series),
  ];
}

function costCharts(chart: MakeChart, series: MakeSeries): Chart[] {
  return [
    chart({
      id: 'imbalance',
      title: 'Imbalance of prefill',
      explanation: 'Prompt tokens computed by the busiest over the mean; 1 is even.',
      unit: 'busiest / mean',
      series: [
        series('instances', ({ prefillImbalance }) => prefillImbalance.instances),
        series('ranks', ({ prefillImbalance }) => prefillImbalance.ranks),
      ],
    }),
    chart({
      id: 'cost',
      title: 'Cost in prefill tokens',
      explanation:
        'All prompt tokens that were computed, and of those the ones that the oracle would have reused: computed again for want of a better placement, or of cache.',
      unit: 'million tokens',
      series: [
        series('computed', (report) => computedTokens(report) / 1e6),
        series('computed again', ({ classes: { total } }) => (total.reusableTokens - total.reusedTokens) / 1e6),
      ],
    }),
    chart({
      id: 'kv',
      title: 'KV cache moved',
      explanation:
        'Sent from context to generation instances. The whole cache of every prompt is sent, since what a generation instance may have already is not modelled: policies differ in what they compute, not in what they move.',
      unit: 'GB',
      series: [series('sent', ({ kvBytesMoved }) => kvBytesMoved / 1e9)],
    }),
  ];
}

/** Prompt tokens that all ranks have computed. */
export function computedTokens({ prefillTokens }: Pick<TimedReport, 'prefillTokens'>): number {
  return prefillTokens.flat().reduce((sum, tokens) => sum + tokens, 0);
}

/** In percent; null when nothing was reusable. */
export function shareOf({ reusedTokens, reusableTokens }: TimedReport['classes']['total']): number | null {
  return reusableTokens === 0 ? null : (100 * reusedTokens) / reusableTokens;
}

/** Null for none, and for 0, which a logarithmic axis has no place for. */
function inSeconds(ms: number | undefined): number | null {
  return ms === undefined || ms === 0 ? null : ms / 1000;
}

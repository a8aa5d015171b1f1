import { CLOCKS, mainReuse, REQUEST_CLASSES, type ReplayOptions, type Reuse } from '@roost/replay';

import { CLASS_NAMES, CLASSES, computedTokens, horizonsOf, percentReused, recomputedTokens } from '../figures.js';
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
      explanation: `Prompt tokens that engines found in their caches, capped for each request at what the oracle would have found, over the latter. All sessions, causal clock, ${horizonsOf(reports)[0] ?? ''}. No bar: nothing was reusable.`,
      unit: '%',
      series: CLASSES.map((name) =>
        series(CLASS_NAMES[name].long, ({ classes }) => percentReused(mainReuse(classes[name]))),
      ),
    }),
    ...(['total', 'subFirst'] as const).map((of) => oracleChart(of, reports, chart, series)),
    ...(['p50', 'p95'] as const).map((rank) =>
      chart({
        id: `ttft-${rank}`,
        title: `Time to first token, ${rank === 'p50' ? 'median' : '95th percentile'}`,
        explanation:
          'From the arrival of a request to its first token: queue, and the prefill of what was not cached. The axis is logarithmic.',
        unit: 's',
        logarithmic: true,
        series: REQUEST_CLASSES.map((name) =>
          series(CLASS_NAMES[name].long, ({ classes }) => inSeconds(classes[name].timeToFirstToken?.[rank])),
        ),
      }),
    ),
    ...costCharts(chart, series),
  ];
}

/** By clock and horizon, side by side. */
function oracleChart(
  of: 'total' | 'subFirst',
  reports: readonly TimedReport[],
  chart: MakeChart,
  series: MakeSeries,
): Chart {
  const whose = of === 'total' ? 'All requests' : 'First requests of sub-agents, fresh and forked';
  return chart({
    id: `oracles-${of}`,
    title: `${whose}, by clock and horizon of the oracle`,
    explanation:
      'Of all sessions. On the causal clock the oracle knows every prefill that was finished when a request arrived, on the instant clock every request that had arrived. Within a horizon it knows what was used not longer ago than that.',
    unit: '%',
    series: CLOCKS.flatMap((clock) =>
      horizonsOf(reports).map((horizon, at) =>
        series(`${clock}, ${horizon}`, ({ classes }) => {
          const parts = of === 'total' ? [classes.total] : [classes.subFirstFresh, classes.subFirstFork];
          return percentReused(sumOf(parts.map(({ reuse }) => reuse[clock].global[at])));
        }),
      ),
    ),
  });
}

function sumOf(reuses: readonly (Reuse | undefined)[]): Omit<Reuse, 'horizon'> {
  const sum = (name: 'reusedTokens' | 'reusableTokens'): number =>
    reuses.reduce((total, reuse) => total + (reuse?.[name] ?? 0), 0);
  return { reusedTokens: sum('reusedTokens'), reusableTokens: sum('reusableTokens') };
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
        series('computed again', (report) => recomputedTokens(report) / 1e6),
      ],
    }),
    chart({
      id: 'kv',
      title: 'KV cache moved',
      explanation:
        'Of the prompts of all answers: sent from context to generation instances, and held there already, from requests before. The blocks of answers are not counted as held, since a trace does not tell them.',
      unit: 'GB',
      series: [
        series('sent', ({ kvBytesMoved }) => kvBytesMoved / 1e9),
        series('held already', ({ kvBytesHeld }) => kvBytesHeld / 1e9),
      ],
    }),
  ];
}

/** Null for none, and for 0, which a logarithmic axis has no place for. */
function inSeconds(ms: number | undefined): number | null {
  return ms === undefined || ms === 0 ? null : ms / 1000;
}

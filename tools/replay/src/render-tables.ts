import { type Clock, CLOCKS, mainReuse, REQUEST_CLASSES, type RequestClass, SCOPES } from '@roost/replay';
import Table, { type Cell } from 'cli-table3';

import {
  CLASS_NAMES,
  computedTokens,
  heldCells,
  horizonsOf,
  recomputedTokens,
  SCOPE_NAMES,
  secondsOf,
  shareOf,
} from './figures.js';
import type { TimedReport } from './timed-report.js';

/** One table: its title, what its columns are called, and the cells of a policy. */
interface TableOfPolicies {
  readonly title: string;
  readonly heads: readonly (readonly Cell[])[];
  readonly cellsOf: (report: TimedReport) => readonly string[];
}

/** The reports as tables for a terminal. */
export function renderTables(reports: readonly TimedReport[]): string {
  if (reports.length === 0) return '';
  const horizons = horizonsOf(reports);
  const holding = reports.some(({ holds }) => holds !== null) ? [held()] : [];
  return [byClass(horizons[0] ?? ''), byOracle(horizons), cost(), times(), ...holding]
    .map(({ title, heads, cellsOf }) => {
      const table = new Table({ style: { head: [], border: [], compact: true } });
      table.push(...heads.map((cells) => [...cells]), ...reports.map((report) => [report.policy, ...cellsOf(report)]));
      return `${title}\n${table.toString()}`;
    })
    .join('\n');
}

/** Where followers that are held back would make a difference, both clocks are shown. */
const SHOWN: readonly (readonly [name: RequestClass, clock: Clock])[] = [
  ['mainFirst', 'causal'],
  ['mainUser', 'causal'],
  ['mainTool', 'causal'],
  ['subFirstFresh', 'causal'],
  ['subFirstFresh', 'instant'],
  ['subFirstFork', 'causal'],
  ['subFirstFork', 'instant'],
  ['subRest', 'causal'],
  ['afterCompaction', 'causal'],
];

function byClass(horizon: string): TableOfPolicies {
  const nameOf = ([name, clock]: (typeof SHOWN)[number]): string =>
    clock === 'causal' ? CLASS_NAMES[name].short : '(instant)';
  return {
    title: `Reused, % of the oracle (all sessions, causal clock, ${horizon}), by class of request:`,
    heads: [['policy', ...SHOWN.map(nameOf), CLASS_NAMES.total.short]],
    cellsOf: ({ classes }) => [
      ...SHOWN.map(([name, clock]) => shareOf(mainReuse(classes[name], clock))),
      shareOf(mainReuse(classes.total)),
    ],
  };
}

function byOracle(horizons: readonly string[]): TableOfPolicies {
  return {
    title: `Reused of all requests, % of each oracle, by its horizon: ${horizons.join(' / ')}:`,
    heads: [
      ['', ...CLOCKS.map((clock): Cell => ({ content: `${clock} clock`, colSpan: SCOPES.length, hAlign: 'center' }))],
      ['policy', ...CLOCKS.flatMap(() => SCOPES.map((scope) => SCOPE_NAMES[scope]))],
    ],
    cellsOf: ({ classes: { total } }) =>
      CLOCKS.flatMap((clock) => SCOPES.map((scope) => total.reuse[clock][scope].map(shareOf).join(' / '))),
  };
}

function cost(): TableOfPolicies {
  return {
    title: 'Cost:',
    heads: [
      [
        'policy',
        'prefill, M tokens',
        'of it again',
        'max/mean, instances',
        'max/mean, ranks',
        'KV moved, GB',
        'held already, GB',
        'wall',
        'x faster than real time',
      ],
    ],
    cellsOf: (report) => [
      (computedTokens(report) / 1e6).toFixed(2),
      (recomputedTokens(report) / 1e6).toFixed(2),
      report.prefillImbalance.instances.toFixed(2),
      report.prefillImbalance.ranks.toFixed(2),
      (report.kvBytesMoved / 1e9).toFixed(0),
      (report.kvBytesHeld / 1e9).toFixed(0),
      `${(report.wallTime / 1000).toFixed(1)} s`,
      Math.round(report.virtualTime / report.wallTime).toLocaleString('en'),
    ],
  };
}

/** What production has no such thing for. */
function held(): TableOfPolicies {
  return {
    title: 'Held back, a what-if: requests, of them till their time was up, and for how long in s, p50 / p99:',
    heads: [['policy', 'held', 'time was up', 'p50 / p99']],
    cellsOf: heldCells,
  };
}

function times(): TableOfPolicies {
  return {
    title: 'Time to first token in s, p50 / p95:',
    heads: [['policy', ...REQUEST_CLASSES.map((name) => CLASS_NAMES[name].short)]],
    cellsOf: ({ classes }) => REQUEST_CLASSES.map((name) => secondsOf(classes[name].timeToFirstToken, ['p50', 'p95'])),
  };
}

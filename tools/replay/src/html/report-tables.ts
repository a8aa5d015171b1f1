import { CLOCKS, mainReuse, SCOPES } from '@roost/replay';

import {
  CLASS_NAMES,
  CLASSES,
  computedTokens,
  heldCells,
  horizonsOf,
  recomputedTokens,
  SCOPE_NAMES,
  shareOf,
} from '../figures.js';
import type { TimedReport } from '../timed-report.js';

import { escapeHtml } from './escape-html.js';

/** One row a policy, with everything that the charts show of it but times. */
export function tableOf(reports: readonly TimedReport[]): string {
  const head = [
    'policy',
    ...CLASSES.map((name) => `reused %, ${CLASS_NAMES[name].long}`),
    'imbalance, instances',
    'imbalance, ranks',
    'prefill, M tokens',
    'of it again',
    'KV moved, GB',
    'held already, GB',
    'held back',
    'time was up',
    'held back, s, p50 / p99',
  ];
  const rows = reports.map((report) => [
    report.policy,
    ...CLASSES.map((name) => shareOf(mainReuse(report.classes[name]))),
    report.prefillImbalance.instances.toFixed(2),
    report.prefillImbalance.ranks.toFixed(2),
    (computedTokens(report) / 1e6).toFixed(2),
    (recomputedTokens(report) / 1e6).toFixed(2),
    (report.kvBytesMoved / 1e9).toFixed(1),
    (report.kvBytesHeld / 1e9).toFixed(1),
    ...heldCells(report),
  ]);
  return table(head, rows);
}

/** A table for each class: policies by clock, and all scopes and horizons. The one of all requests is open. */
export function oracleTables(reports: readonly TimedReport[]): string {
  const horizons = horizonsOf(reports);
  const head = [
    'policy',
    'clock',
    ...SCOPES.flatMap((scope) => horizons.map((horizon) => `${SCOPE_NAMES[scope]}, ${horizon}`)),
  ];
  return CLASSES.toReversed()
    .filter((name) => reports.some(({ classes }) => classes[name].requests > 0))
    .map((name) => {
      const rows = reports.flatMap(({ policy, classes }) =>
        CLOCKS.map((clock) => [
          policy,
          clock,
          ...SCOPES.flatMap((scope) =>
            classes[name].reuse[clock][scope].map(
              (reuse) => `${shareOf(reuse)} (${(reuse.reusableTokens / 1e6).toFixed(2)})`,
            ),
          ),
        ]),
      );
      const { requests = 0 } = reports[0]?.classes[name] ?? {};
      const summary = escapeHtml(`${CLASS_NAMES[name].long}: ${requests.toLocaleString('en')} requests`);
      return `<details${name === 'total' ? ' open' : ''}><summary>${summary}</summary>${table(head, rows)}</details>`;
    })
    .join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return `<div class="scroll"><table><thead>${rowOf(head, 'th')}</thead><tbody>${rows.map((cells) => rowOf(cells, 'td')).join('')}</tbody></table></div>`;
}

function rowOf(cells: readonly string[], tag: string): string {
  return `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`;
}

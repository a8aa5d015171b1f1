import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import type { ReplayOptions } from '@roost/replay';

import type { TimedReport } from '../timed-report.js';

import { PAGE_SCRIPT } from './page-script.js';
import { type Chart, chartsOf, CLASS_NAMES, computedTokens, type ReportSubject, shareOf } from './report-data.js';

const require = createRequire(import.meta.url);

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; color: #1f2328; max-width: 1120px; margin: 0 auto; padding: 24px; }
h1 { font-size: 24px; margin-bottom: 4px; } h2 { font-size: 18px; margin: 0 0 4px; } p { margin: 4px 0; color: #59636e; }
.charts { display: grid; grid-template-columns: repeat(2, 1fr); gap: 28px; margin: 28px 0; }
.wide { grid-column: 1 / -1; } .plot { height: 300px; position: relative; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 13px; }
th, td { padding: 4px 8px; border-bottom: 1px solid #d1d9e0; text-align: right; } th:first-child, td:first-child { text-align: left; }
dt { font-weight: 600; margin-top: 8px; } dd { margin: 0; color: #59636e; }
@media (max-width: 800px) { .charts { grid-template-columns: 1fr; } }
`;

/** The report as one HTML page that needs nothing else: the charting library is in it, and nothing is loaded. */
export function renderHtml({ title, options, reports }: ReportSubject): string {
  const charts = chartsOf(reports);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<title>Replay: ${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>What routing makes of this traffic</h1>
<p>${escapeHtml(title)}</p>
<p>${escapeHtml(fleetOf(options))}</p>
<div class="charts">
${charts.map(sectionOf).join('\n')}
</div>
<h2>All numbers</h2>
${tableOf(reports)}
${DEFINITIONS}
<script type="application/json" id="charts">${JSON.stringify(charts).replaceAll('<', '\\u003c')}</script>
<script>${chartLibrary()}</script>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

const DEFINITIONS = `<h2 style="margin-top:28px">Definitions</h2>
<dl>
<dt>Policies</dt><dd><b>round_robin</b>: instances in turn. <b>load_balancing</b>: the least loaded. <b>conversation</b>: every agent stays where it
began, on its instance and rank. <b>conversation+parent</b>: a sub-agent goes where its parent session is. <b>conversation+root</b>: where the session at
the top of its family is. <b>kv_cache_aware</b>: where most of the prompt's blocks lie, and load is low. Further ones are of the policy file.</dd>
<dt>Oracle</dt><dd>One cache without limits, for all instances and ranks. On the causal clock it knows every prefill that was finished when a
request arrived, on the instant clock every request that had arrived: what a router that holds siblings back could reach.</dd>
<dt>Classes</dt><dd>The first request of a main agent, the first of a sub-agent, and all later ones. They are told apart because first requests are a
small part of all tokens: the total alone hides them.</dd>
<dt>Time</dt><dd>Virtual. Prefill runs on the routers, caches, ranks and the time model of production; decode is a delay of one step a token. The loop
is closed: an agent's next request comes its recorded pause after the answer.</dd>
</dl>`;

function sectionOf({ id, title, explanation }: Chart): string {
  const wide = id === 'share' || id === 'kv' ? ' class="wide"' : '';
  return `<section${wide}><h2>${escapeHtml(title)}</h2><p>${escapeHtml(explanation)}</p><div class="plot"><canvas id="${id}"></canvas></div></section>`;
}

function tableOf(reports: readonly TimedReport[]): string {
  const classes = ['mainFirst', 'subFirst', 'rest', 'total'] as const;
  const head = [
    'policy',
    ...classes.map((name) => `reused %, ${CLASS_NAMES[name]}`),
    'the same of sub-agents, instant clock',
    'imbalance, instances',
    'imbalance, ranks',
    'prefill, M tokens',
    'KV moved, GB',
  ];
  const rows = reports.map((report) => {
    const { classes: byClass, prefillImbalance } = report;
    const { instantlyReusedTokens, instantlyReusableTokens } = byClass.subFirst;
    return [
      report.policy,
      ...classes.map((name) => decimal(shareOf(byClass[name]), 1)),
      decimal(instantlyReusableTokens === 0 ? null : (100 * instantlyReusedTokens) / instantlyReusableTokens, 1),
      decimal(prefillImbalance.instances, 2),
      decimal(prefillImbalance.ranks, 2),
      decimal(computedTokens(report) / 1e6, 2),
      decimal(report.kvBytesMoved / 1e9, 1),
    ];
  });
  return `<table><thead>${rowOf(head, 'th')}</thead><tbody>${rows.map((cells) => rowOf(cells, 'td')).join('')}</tbody></table>`;
}

function rowOf(cells: readonly string[], tag: string): string {
  return `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`;
}

function decimal(value: number | null, digits: number): string {
  return value === null ? '-' : value.toFixed(digits);
}

function fleetOf(options: ReplayOptions): string {
  const { instances, ranksPerInstance, capacityTokens, prefillTokensPerSecond, oracleHorizon, seed } = options;
  const horizon = oracleHorizon === Infinity ? 'none' : `${(oracleHorizon / 1000).toLocaleString('en')} s`;
  const capacity =
    capacityTokens === Infinity ? 'without limits' : `of ${capacityTokens.toLocaleString('en')} tokens a rank`;
  return `${String(instances)} context instances of ${String(ranksPerInstance)} ranks, caches ${capacity}, ${prefillTokensPerSecond.toLocaleString('en')} prompt tokens a second and rank, horizon of the oracle ${horizon}, seed ${String(seed)}.`;
}

function chartLibrary(): string {
  const file = path.join(path.dirname(require.resolve('chart.js')), 'chart.umd.min.js');
  return readFileSync(file, 'utf8')
    .replace(/^\/\/# sourceMappingURL=.*$/m, '')
    .replaceAll('</script', '<\\/script');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

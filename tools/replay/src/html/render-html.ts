import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import type { ReplayOptions } from '@roost/replay';

import { escapeHtml } from './escape-html.js';
import { PAGE_SCRIPT } from './page-script.js';
import { type Chart, chartsOf, type ReportSubject } from './report-data.js';
import { oracleTables, tableOf } from './report-tables.js';

const require = createRequire(import.meta.url);

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; color: #1f2328; max-width: 1120px; margin: 0 auto; padding: 24px; }
h1 { font-size: 24px; margin-bottom: 4px; } h2 { font-size: 18px; margin: 0 0 4px; } p { margin: 4px 0; color: #59636e; }
.charts { display: grid; grid-template-columns: repeat(2, 1fr); gap: 28px; margin: 28px 0; }
.wide { grid-column: 1 / -1; } .plot { height: 300px; position: relative; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 13px; }
.scroll { overflow-x: auto; } details { margin: 8px 0; } summary { cursor: pointer; }
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
<h2>Every oracle, by class</h2>
<p>Reused, in % of what each oracle could have reused, by scope and horizon; in brackets the millions of tokens that were reusable.</p>
${oracleTables(reports)}
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
the top of its family is. <b>kv_cache_aware</b>: where most of the prompt's blocks lie, and load is low. <b>sibling_group</b>: sub-agents of one type in one
family together. <b>+hold</b>: followers wait for what their leader's prefill on the same instance will leave in the cache. The latter two are what-ifs
that production has not. Further ones are of the policy file.</dd>
<dt>Oracle</dt><dd>One cache without limits, for all instances and ranks. On the <b>causal</b> clock it knows every prefill that was finished when a
request arrived, on the <b>instant</b> clock every request that had arrived: what a router that holds siblings back could reach. Its scope is all
sessions, the request's own session with its sub-agents (<b>tree</b>), or its own agent (<b>chain</b>). Within a <b>horizon</b> it knows what was used not
longer ago than that.</dd>
<dt>Classes</dt><dd>First requests are told apart because they are a small part of all tokens: the total alone hides them. Later requests of main agents
come after their user or after a tool. A sub-agent is a <b>fork</b> if its first prompt begins with all of its parent's, but for the last full block, else
<b>fresh</b>. A request is <b>after a compaction</b> if its prompt is less than half as long as the agent's one before.</dd>
<dt>Time</dt><dd>Virtual. Prefill and KV caches run on the routers, caches, ranks and the time model of production; decode is a delay of one step a
token. The loop is closed: an agent's next request comes its recorded pause after the answer.</dd>
</dl>`;

function sectionOf({ id, title, explanation }: Chart): string {
  const wide = id === 'share' || id === 'kv' || id.startsWith('oracles') ? ' class="wide"' : '';
  return `<section${wide}><h2>${escapeHtml(title)}</h2><p>${escapeHtml(explanation)}</p><div class="plot"><canvas id="${id}"></canvas></div></section>`;
}

function fleetOf(options: ReplayOptions): string {
  const { instances, ranksPerInstance, generationInstances, generationRanksPerInstance } = options;
  const caches = (tokens: number): string =>
    tokens === Infinity ? 'caches without limits' : `caches of ${tokens.toLocaleString('en')} tokens a rank`;
  return [
    `${String(instances)} context instances of ${String(ranksPerInstance)} ranks, ${caches(options.capacityTokens)}`,
    `${String(generationInstances)} generation instances of ${String(generationRanksPerInstance)} ranks, ${caches(options.generationCapacityTokens)}`,
    `${options.prefillTokensPerSecond.toLocaleString('en')} prompt tokens a second and rank, seed ${String(options.seed)}.`,
  ].join('; ');
}

function chartLibrary(): string {
  const file = path.join(path.dirname(require.resolve('chart.js')), 'chart.umd.min.js');
  return readFileSync(file, 'utf8')
    .replace(/^\/\/# sourceMappingURL=.*$/m, '')
    .replaceAll('</script', '<\\/script');
}

import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { repeatTrace, ReplayOptionError, type ReplayReport, replayTrace, type Trace } from '@roost/replay';

import { renderHtml } from './html/render-html.js';
import { renderLive, runLive } from './live/run-live.js';
import { loadTrace } from './load-trace.js';
import { renderTables } from './render-tables.js';
import { createReplayCommand, type ReplayRequest } from './replay-command.js';
import { ReplayFailure } from './replay-failure.js';
import type { TimedReport } from './timed-report.js';

/** Milliseconds between two signs of life. */
const PROGRESS_INTERVAL = 2000;

/** Of the workspace, seen from this file once it is compiled. */
const ROOT = path.resolve(import.meta.dirname, '..', '..', '..');

/**
 * Runs `replay` with its arguments: the table, or JSON, goes to standard output, signs of life to standard error. A
 * failure that is the user's to mend is printed and sets the exit code.
 *
 * @param name of the command, for its help
 */
export async function runReplay(name: string, args: readonly string[]): Promise<void> {
  try {
    await createReplayCommand(name, replay).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof ReplayFailure || error instanceof ReplayOptionError)) throw error;
    console.error(`${name}: ${error.message}`);
    process.exitCode = 1;
  }
}

async function replay(request: ReplayRequest): Promise<void> {
  const directory = process.env['ROOST_TRACES'] ?? path.join(ROOT, '..', 'shared', 'traces');
  const loaded = await loadTrace(request.trace, directory);
  for (const note of loaded.notes) console.error(note);
  const trace = repeatTrace(loaded.trace, request.copies);
  if (request.live !== null) {
    const report = await runLive(trace, request.live, request.options);
    console.log(request.json ? JSON.stringify(report, null, 2) : renderLive(report));
    return;
  }
  const reports = request.policies.map((policy) =>
    timed((onProgress) => replayTrace(trace, policy, request.options, onProgress), policy.name),
  );
  const title = describe(loaded.origin, trace);
  if (request.html !== null) await writeReport(request.html, renderHtml({ title, options: request.options, reports }));
  if (request.json) {
    const document = { trace: { origin: loaded.origin, ...sizesOf(trace) }, options: request.options, reports };
    // JSON has no infinite numbers.
    console.log(JSON.stringify(document, (_, value: unknown) => (value === Infinity ? 'unlimited' : value), 2));
    return;
  }
  console.log(`${title}, ${describeFleet(request)}`);
  console.log(renderTables(reports));
  console.log(NOTES);
}

const NOTES = `An oracle is one unlimited cache: of all prefills that were finished when a request arrived (causal clock), or of all requests
that had arrived (instant clock), what a router that holds siblings back could reach; of all sessions, of the request's own
session with its sub-agents (tree), or of its own agent (chain). "-": nothing was reusable, or there was no such request.`;

function timed(run: (onProgress: Parameters<typeof replayTrace>[3]) => ReplayReport, policy: string): TimedReport {
  const start = performance.now();
  let told = start;
  const report = run(({ completed, requests }) => {
    const now = performance.now();
    if (now - told < PROGRESS_INTERVAL) return;
    told = now;
    console.error(`${policy}: ${String(completed)} of ${String(requests)} requests`);
  });
  return { ...report, wallTime: performance.now() - start };
}

function sizesOf({ sessions, numRequests, numBlocks }: Trace): Readonly<Record<string, number>> {
  const subAgents = sessions.reduce(
    (sum, { agents }) => sum + agents.filter(({ parent }) => parent !== null).length,
    0,
  );
  return { sessions: sessions.length, subAgents, requests: numRequests, blocks: numBlocks };
}

function describe(origin: string, trace: Trace): string {
  const { sessions = 0, subAgents = 0, requests = 0 } = sizesOf(trace);
  return `${origin}: ${String(requests)} requests of ${String(sessions)} sessions with ${String(subAgents)} sub-agents`;
}

function describeFleet({ options }: ReplayRequest): string {
  const capacity = options.capacityTokens === Infinity ? 'unlimited' : `${String(options.capacityTokens)} tokens`;
  return (
    `on ${String(options.instances)} context instances of ${String(options.ranksPerInstance)} ranks, cache of a rank ${capacity}, ` +
    `seed ${String(options.seed)}`
  );
}

async function writeReport(file: string, html: string): Promise<void> {
  try {
    await writeFile(path.resolve(process.env['INIT_CWD'] ?? '.', file), html);
  } catch (error) {
    throw new ReplayFailure(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/**
 * What sub-agent affinity is worth with a real model: the time to first token of a sub-agent's first request where its
 * parent's cache is, and of the same request without the parent header, on the cluster of `tools/cluster/llama-cpp.yaml`
 * with SmolLM2; and before it the memory of 4,000 requests with the tiny model. `npm run bench:llama -- [--runs 10]`. Ends
 * with "N passed, N failed": the memory, each run, and the comparison. Without the runtime or the model it says why and checks
 * nothing, which is a failure only where `CI` is set.
 */
import '../machine/needed-node.js';

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { type DemoAnswer, type DemoRequest, sendRequest } from '@roost/cli';
import { findRuntime } from '@roost/engine-llama-cpp';

import { banner } from '../machine/banner.js';
import { Children } from '../machine/children.js';
import { spread } from '../machine/spread.js';

import { type FamilyRun, runFamily } from './family-run.js';
import { startLlamaCluster } from './llama-cluster.js';
import { compareTimes, faultsOf, placeOf } from './verdict.js';

const MODEL = 'smollm2-135m';
const PARENT_HEADER = 'X-Dynamo-Parent-Session-ID';
const ROOST = fileURLToPath(new URL('../../../cli/dist/main.js', import.meta.url));
const SOAK = fileURLToPath(new URL('soak/main.js', import.meta.url));

const { values } = parseArgs({ options: { runs: { type: 'string', default: '10' } } });
const numRuns = Number(values.runs);
if (!(numRuns >= 1 && numRuns <= 100)) throw new Error('--runs takes 1 to 100');

/** Why nothing can be measured here, or null. */
function whyNot(): string | null {
  try {
    findRuntime();
  } catch (error) {
    return String(error);
  }
  const { status } = spawnSync(process.execPath, [ROOST, 'model', 'fetch', MODEL], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return status === 0 ? null : `there is no ${MODEL}, as said above`;
}

function cellsOf(answer: DemoAnswer): string {
  const { ttft_ms: time, cached_tokens: cached, prompt_tokens: prompt } = answer.result;
  return `${String(placeOf(answer.result))} | ${String(cached)} of ${String(prompt)} | ${seconds(time ?? NaN)}`;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(2);
}

/** Runs all, printing as it goes; gives the runs, and what was wrong with any. */
async function runAll(
  send: (request: DemoRequest) => Promise<DemoAnswer>,
): Promise<{ runs: readonly FamilyRun[]; faults: readonly string[] }> {
  console.log(
    '| run | load | parent at | cached | first token s | with the header at | cached | first token s | without it at | cached | first token s |',
  );
  console.log(`|${' --- |'.repeat(11)}`);
  const runs: FamilyRun[] = [];
  const faults: string[] = [];
  for (let index = 0; index < numRuns; index += 1) {
    const run = await runFamily(randomBytes(3).toString('hex'), index % 2 === 0, send);
    runs.push(run);
    const cells = [run.parent, run.withHeader, run.withoutHeader].map(cellsOf);
    console.log(`| ${[String(index + 1), (loadavg()[0] ?? NaN).toFixed(1), ...cells].join(' | ')} |`);
    const wrong = faultsOf(run);
    if (wrong.length > 0) faults.push(`run ${String(index + 1)}: ${wrong.join('; ')}`);
  }
  return { runs, faults };
}

/**
 * Measures on a cluster, and says how many checks held; gives the exit code.
 *
 * @param soaked whether memory stayed what it was
 */
async function measure(children: Children, soaked: boolean): Promise<number> {
  const { roost, url } = await startLlamaCluster(children);
  const client = { baseUrl: url, parentHeader: PARENT_HEADER, model: MODEL };
  try {
    const { runs, faults } = await runAll((request) => sendRequest(request, client));
    const { withHeader, withoutHeader, share, isShort } = compareTimes(runs);
    const inSeconds = (times: readonly number[]): string =>
      spread(
        times.map((time) => time / 1000),
        2,
      );
    const checks = [soaked, isShort];
    console.log(`\nFirst token of a sub-agent's first request, median (range), ${String(runs.length)} runs each:`);
    console.log(`  with the parent header  ${inSeconds(withHeader)} s`);
    console.log(`  without it              ${inSeconds(withoutHeader)} s`);
    console.log(`  with is ${(100 * share).toFixed(0)} % of without; at most 33 % is asked for\n`);
    for (const fault of faults) console.log(`FAILED ${fault}`);
    if (!isShort) console.log('FAILED the first token with the parent header takes too long');
    if (!soaked) console.log('FAILED the memory of 4,000 requests, as said above');
    const held = checks.filter(Boolean).length;
    return ended(runs.length - faults.length + held, faults.length + checks.length - held);
  } catch (error) {
    console.log(readFileSync(roost.log, 'utf8').split('\n').slice(-30).join('\n'));
    throw error;
  }
}

/** Says how many checks held; gives the exit code. */
function ended(passed: number, failed: number): number {
  console.log(`${String(passed)} passed, ${String(failed)} failed`);
  return Number(failed > 0);
}

const reason = whyNot();
if (reason !== null) {
  console.log(`Nothing was measured: ${reason}`);
  process.exitCode = ended(0, Number(process.env['CI'] !== undefined));
} else {
  console.log(`${banner()}\n`);
  const children = new Children();
  const stop = (): void => void children.endAll().then(() => process.exit(130));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const soak = ['--expose-gc', '--max-semi-space-size=1', SOAK];
    const { status } = spawnSync(process.execPath, soak, { stdio: ['ignore', 'inherit', 'inherit'] });
    console.log('');
    process.exitCode = await measure(children, status === 0);
  } catch (error) {
    console.log(error);
    process.exitCode = ended(0, 1);
  } finally {
    await children.endAll();
  }
}

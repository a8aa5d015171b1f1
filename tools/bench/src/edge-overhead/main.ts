/**
 * What the edge costs: requests a second and latency through one edge against the same calls made directly to the one
 * worker behind it, which serves requests whole and models no time. Runs alternate; figures are medians over the rounds,
 * with the range behind them. Run with `npm run bench:overhead -- --rounds 5 --seconds 4`.
 */
import '../machine/needed-node.js';

import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

import { type Body, largeBody, smallBody } from './bodies.js';
import { load, type LoadResult, type Target } from './load.js';
import { startBench } from './processes.js';
import { directTarget, edgeTarget } from './targets.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    clients: { type: 'string', default: '1,16' },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const clientCounts = values.clients.split(',').map(Number);
if (!(rounds >= 1 && rounds <= 50 && seconds > 0 && seconds <= 60) || clientCounts.some((n) => !(n >= 1 && n <= 256))) {
  throw new Error('--rounds takes 1 to 50, --seconds up to 60, --clients a list of 1 to 256');
}

/** Requests at the beginning of a measurement whose bodies no other measurement has sent. */
let sent = 0;

async function measure(target: Target, body: Body, clients: number, duration: number): Promise<LoadResult> {
  const first = sent;
  sent += 10_000_000;
  return load(target, clients, duration, (n) => body.bodyOf(first + n));
}

async function compare(targets: readonly [Target, Target], body: Body, clients: number): Promise<void> {
  const results = new Map<Target, LoadResult[]>(targets.map((target) => [target, []]));
  for (const target of targets) await measure(target, body, clients, 1);
  for (let round = 0; round < rounds; round += 1) {
    for (const target of targets) results.get(target)?.push(await measure(target, body, clients, seconds));
  }
  const [direct, edge] = targets.map((target) => results.get(target) ?? []);
  for (const target of targets) print(body, clients, target.name, results.get(target) ?? []);
  const added = (edge ?? []).map(({ p50 }, at) => p50 - (direct?.[at]?.p50 ?? NaN));
  const ratio = (edge ?? []).map((one, at) => one.requestsPerSecond / (direct?.[at]?.requestsPerSecond ?? NaN));
  console.log(`|  |  | edge against direct | ${spread(ratio, 2)} x | + ${spread(added, 2)} |  |`);
}

function print(body: Body, clients: number, name: string, results: readonly LoadResult[]): void {
  const rate = spread(
    results.map(({ requestsPerSecond }) => requestsPerSecond),
    0,
  );
  const p50 = spread(
    results.map((result) => result.p50),
    2,
  );
  const p99 = spread(
    results.map((result) => result.p99),
    2,
  );
  console.log(`| ${body.name} | ${String(clients)} | ${name} | ${rate} | ${p50} | ${p99} |`);
}

/** Median and range. */
function spread(numbers: readonly number[], digits: number): string {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [least, median, most] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  const text = (value = NaN): string => value.toFixed(digits);
  return `${text(median)} (${text(least)}-${text(most)})`;
}

const bench = await startBench();
const targets = [directTarget(bench.worker), edgeTarget(bench.edgeUrl)] as const;
try {
  console.log(
    `${new Date().toISOString()}, ${String(cpus().length)} cores ${cpus()[0]?.model ?? ''}, Node ${process.version}; ${String(rounds)} rounds of ${String(seconds)} s`,
  );
  console.log('| body | clients | call | requests/s | p50 ms | p99 ms |\n| --- | --- | --- | --- | --- | --- |');
  for (const body of [smallBody, largeBody]) for (const clients of clientCounts) await compare(targets, body, clients);
} finally {
  for (const target of targets) target.close();
  bench.stop();
}

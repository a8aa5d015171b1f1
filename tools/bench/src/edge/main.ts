/**
 * What the edge costs: requests a second, added latency, processor time and memory, against the very calls that it makes,
 * made directly to mock workers. `npm run bench -- [--quick] [--rounds 3] [--seconds 1] [--only PART] [--profile FOLDER]`;
 * PART is some text of a line's first three columns, or `soak`. Profiles are written when the edges end.
 */
import '../machine/needed-node.js';

import { parseArgs } from 'node:util';

import { LoadProcess } from '../load/load-process.js';
import type { LoadSpec } from '../load/load-spec.js';
import { banner } from '../machine/banner.js';
import { Children } from '../machine/children.js';
import { median, spread } from '../machine/spread.js';

import { compare, type Contender, type Run } from './comparison.js';
import { type RoostCluster, startRoost } from './roost-cluster.js';
import { soak } from './soak.js';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    only: { type: 'string', default: '' },
    log: { type: 'string', default: 'warn' },
    'soak-seconds': { type: 'string' },
    profile: { type: 'string' },
  },
});
const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
const seconds = Number(values.seconds ?? (values.quick ? 0.5 : 1));
const soakSeconds = Number(values['soak-seconds'] ?? (values.quick ? 15 : 60));
if (!(rounds >= 1 && rounds <= 50 && seconds > 0 && seconds <= 60 && soakSeconds >= 10 && soakSeconds <= 600)) {
  throw new Error('--rounds takes 1 to 50, --seconds up to 60, --soak-seconds 10 to 600');
}

/** What is asked, and by how many clients at a time. */
interface Scenario extends Omit<LoadSpec, 'target' | 'clients' | 'seconds'> {
  readonly name: string;
  readonly clientCounts: readonly number[];
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'small body', body: 'small', stream: false, tokens: 1, clientCounts: [1, 16, 1_000] },
  { name: '250 KB body', body: '250 KB', stream: false, tokens: 1, clientCounts: [1, 16, 1_000] },
  { name: 'stream of 500 tokens', body: 'small', stream: true, tokens: 500, clientCounts: [1, 16, 100] },
];

const SOAK = { streams: 1_000, seconds: soakSeconds, tokens: 250 };
/** Tokens a second of each stream in the soak: 10,000 a second over all, a second's output of a large deployment. */
const SOAK_RATE = 10;

const HEAD = [
  '| mode | request | clients | call | requests/s | p50 ms | p99 ms | first token p50 ms | edge CPU ms/request | edge memory MB |',
  '| --- | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |',
].join('\n');

function row(cells: readonly string[], contender: Contender, runs: readonly Run[]): void {
  const failed = runs.reduce((sum, { errors }) => sum + errors, 0);
  const of = (pick: (run: Run) => number, digits: number): string => spread(runs.map(pick), digits);
  const figures = [
    of((run) => run.requestsPerSecond, 0),
    of((run) => run.p50, 2),
    of((run) => run.p99, 2),
    of((run) => run.firstTokenP50, 2),
    of((run) => run.cpuPerRequest, 3),
    of((run) => run.residentBytes / 2 ** 20, 0),
  ];
  const name = failed === 0 ? contender.name : `${contender.name} (${String(failed)} FAILED: ${firstErrorOf(runs)})`;
  console.log(`| ${[...cells, name, ...figures].join(' | ')} |`);
}

function firstErrorOf(runs: readonly Run[]): string {
  return runs.find(({ firstError }) => firstError !== null)?.firstError ?? '';
}

async function compareWithDirect(load: LoadProcess, mode: string, { edge, port, direct }: RoostCluster): Promise<void> {
  const directly = { name: 'directly', target: direct, pid: null } as const;
  const through = { name: 'edge', target: { kind: 'http', port }, pid: edge.pid } as const;
  for (const { name, clientCounts, ...scenario } of SCENARIOS) {
    for (const clients of clientCounts) {
      const cells = [mode, name, String(clients)];
      if (!cells.join(' ').includes(values.only)) continue;
      const runs = await compare(load, [directly, through], { ...scenario, clients, seconds }, rounds);
      const [before, after] = [runs.get(directly) ?? [], runs.get(through) ?? []];
      row(cells, directly, before);
      row(cells, through, after);
      const added = (pick: (run: Run) => number): string =>
        `+ ${spread(
          after.map((run, at) => pick(run) - (before[at] === undefined ? NaN : pick(before[at]))),
          2,
        )}`;
      const ratio = median(after.map((run, at) => run.requestsPerSecond / (before[at]?.requestsPerSecond ?? NaN)));
      console.log(
        `| ${cells.join(' | ')} | added | ${ratio.toFixed(2)} x | ${added((run) => run.p50)} | ${added((run) => run.p99)} |  |  |  |`,
      );
    }
  }
}

async function runSoak(load: LoadProcess, children: Children): Promise<void> {
  for (const disaggregated of [false, true]) {
    const mode = disaggregated ? 'disaggregated' : 'aggregated';
    if (!`soak ${mode}`.includes(values.only)) continue;
    const cluster = await startRoost(children, { disaggregated, rate: SOAK_RATE, logLevel: values.log });
    const { run, memory, loopDelayP99, waited } = await soak(load, cluster, SOAK);
    const megabytes = memory.map((bytes) => (bytes / 2 ** 20).toFixed(0)).join(' ');
    const errors = `${String(run.errors)} errors${run.firstError === null ? '' : ` (${run.firstError})`}`;
    console.log(
      `soak, ${mode}: ${String(SOAK.streams)} streams of ${String(SOAK.tokens)} tokens at ${String(SOAK_RATE)} a second each for ${String(SOAK.seconds)} s: ${String(run.requests)} answers, ${errors}, ${run.tokensPerSecond.toFixed(0)} tokens/s, first token p50 ${run.firstTokenP50.toFixed(0)} ms, p99 ${run.firstTokenP99.toFixed(0)} ms; event-loop delay p99 ${loopDelayP99.toFixed(1)} ms at worst, with the edge waiting for a processor ${(waited * 100).toFixed(0)} % of the time; memory every 5 s: ${megabytes} MB; edge CPU ${((run.cpuPerRequest * run.requests) / run.seconds / 10).toFixed(0)} %`,
    );
    await children.end(cluster.edge);
  }
}

const children = new Children();
const load = new LoadProcess();
let failed = true;
try {
  console.log(`${banner()}; ${String(rounds)} rounds of ${String(seconds)} s, medians (ranges)\n\n${HEAD}`);
  for (const disaggregated of [false, true]) {
    const mode = disaggregated ? 'disaggregated' : 'aggregated';
    const { profile: profileTo, log: logLevel } = values;
    const cluster = await startRoost(children, { disaggregated, rate: 0, logLevel, profileTo });
    await compareWithDirect(load, mode, cluster);
    await children.end(cluster.edge);
  }
  console.log('');
  await runSoak(load, children);
  failed = false;
} finally {
  load.stop();
  await children.endAll(failed);
  if (failed) console.error(`logs are in ${children.folder}`);
}

/**
 * Other routers on the same work: the same clients, mock workers of the kind that each speaks to, sessions kept on their
 * workers, and prefill and decode apart where the router can. All run at once and are measured in turns.
 * `npm run bench:peers -- [--rounds 3] [--seconds 2] [--clients 32] [--only TEXT]`, after tools/bench/install-peers.sh.
 */
import '../machine/needed-node.js';

import { parseArgs } from 'node:util';

import { ROOST_VERSION } from '@roost/protocol';

import { compare, type Run } from '../edge/comparison.js';
import { LoadProcess } from '../load/load-process.js';
import type { LoadSpec } from '../load/load-spec.js';
import { banner } from '../machine/banner.js';
import { Children } from '../machine/children.js';
import { median, spread } from '../machine/spread.js';

import { engineRouters } from './engine-routers.js';
import { litellm } from './litellm.js';
import type { Peer } from './peer.js';
import { haproxy, nginx } from './proxies.js';
import { servePeer, type Served, serveRoost, startHttpWorkers } from './served.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    clients: { type: 'string', default: '32' },
    only: { type: 'string', default: '' },
  },
});
const [rounds, seconds, clients] = [Number(values.rounds), Number(values.seconds), Number(values.clients)];
if (!(rounds >= 1 && rounds <= 20 && seconds > 0 && seconds <= 30 && clients >= 1 && clients <= 1_000)) {
  throw new Error('--rounds takes 1 to 20, --seconds up to 30, --clients 1 to 1000');
}

const PEERS: readonly Peer[] = [haproxy, nginx, ...engineRouters, litellm];

/** What is asked; the first figure of each is compared with ours. */
const WORK: readonly (Omit<LoadSpec, 'target' | 'clients' | 'seconds'> & { readonly name: string })[] = [
  { name: 'small body', body: 'small', stream: false, tokens: 1 },
  { name: '250 KB body', body: '250 KB', stream: false, tokens: 1 },
  { name: 'stream of 500 tokens', body: 'small', stream: true, tokens: 500 },
];

const HEAD = [
  '| work | router | requests/s | Roost in the same mode is ahead by | p50 ms | p99 ms | CPU ms/request | memory MB |',
  '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |',
].join('\n');

function row(work: string, { name }: Served, runs: readonly Run[], ours: readonly Run[]): string {
  const of = (pick: (run: Run) => number, digits: number): string => spread(runs.map(pick), digits);
  const ratio = median(ours.map((own, at) => own.requestsPerSecond / (runs[at]?.requestsPerSecond ?? NaN)));
  const failed = runs.reduce((sum, { errors }) => sum + errors, 0);
  const firstError = runs.find((run) => run.firstError !== null)?.firstError ?? '';
  const cells = [
    work,
    failed === 0 ? name : `${name} (${String(failed)} FAILED: ${firstError.replaceAll(/\s+/g, ' ')})`,
    of((run) => run.requestsPerSecond, 0),
    `${ratio.toFixed(2)} x`,
    of((run) => run.p50, 2),
    of((run) => run.p99, 2),
    of((run) => run.cpuPerRequest, 3),
    of((run) => run.residentBytes / 2 ** 20, 0),
  ];
  return `| ${cells.join(' | ')} |`;
}

async function startAll(children: Children, load: LoadProcess): Promise<Served[]> {
  const served = [await serveRoost(children, false, ROOST_VERSION), await serveRoost(children, true, ROOST_VERSION)];
  const workers = await startHttpWorkers(children);
  served.push({
    name: 'the HTTP worker, directly',
    disaggregated: false,
    version: '',
    flags: '',
    target: { kind: 'http', port: workers.whole[0] },
    pid: null,
  });
  for (const peer of PEERS.filter(({ name }) => name.includes(values.only))) {
    try {
      served.push(await servePeer(children, load, peer, workers));
    } catch (error) {
      console.log(`- ${peer.name} was not run: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  for (const { name, version, flags } of served) if (version !== '') console.log(`- ${name} ${version}: \`${flags}\``);
  return served;
}

const children = new Children();
const load = new LoadProcess();
try {
  console.log(
    `${banner()}; ${String(clients)} clients, ${String(rounds)} rounds of ${String(seconds)} s, medians (ranges)\n`,
  );
  const contenders = await startAll(children, load);
  console.log(`\n${HEAD}`);
  for (const { name, ...work } of WORK) {
    const runs = await compare(load, contenders, { ...work, clients, seconds }, rounds);
    for (const contender of contenders) {
      const ours = contenders.find(({ disaggregated }) => disaggregated === contender.disaggregated);
      console.log(row(name, contender, runs.get(contender) ?? [], (ours && runs.get(ours)) ?? []));
    }
  }
} finally {
  load.stop();
  await children.endAll(true);
}

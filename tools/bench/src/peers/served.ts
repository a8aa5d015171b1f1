import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { type Contender, measure } from '../edge/comparison.js';
import { startRoost } from '../edge/roost-cluster.js';
import type { LoadProcess } from '../load/load-process.js';
import type { Child, Children } from '../machine/children.js';
import { freePort } from '../machine/free-port.js';

import type { MockWorkers, Peer, PeerPorts } from './peer.js';

/** A contender of the comparison that runs. */
export interface Served extends Contender {
  readonly disaggregated: boolean;
  readonly version: string;
  /** How it was started, for the table; paths without their folders. */
  readonly flags: string;
}

const HTTP_WORKER = fileURLToPath(new URL('../mock-workers/http-main.js', import.meta.url));

/** Starts the HTTP mock workers that all peers share. */
export async function startHttpWorkers(children: Children): Promise<MockWorkers> {
  const start = async (name: string, role: string): Promise<readonly [number, number]> => {
    const ports = [await freePort(), await freePort()] as const;
    const args = [HTTP_WORKER, '--ports', ports.join(), '--role', role];
    const child = children.start(`http-${name}`, process.execPath, args);
    for (const port of ports) await children.untilReady(child, `http://127.0.0.1:${String(port)}/health`);
    return ports;
  };
  return {
    whole: await start('whole', 'whole'),
    prefill: await start('prefill', 'prefill'),
    decode: await start('decode', 'whole'),
  };
}

/** Starts Roost in one of its modes, before gRPC mock workers. */
export async function serveRoost(children: Children, disaggregated: boolean, version: string): Promise<Served> {
  const cluster = await startRoost(children, { disaggregated, rate: 0, logLevel: 'warn' });
  return {
    name: disaggregated ? 'Roost, disaggregated' : 'Roost',
    disaggregated,
    version,
    flags: 'edge -c, router conversation, affinity and signatures on',
    target: { kind: 'http', port: cluster.port },
    pid: cluster.edge.pid,
  };
}

/**
 * Starts a peer, and has it serve one request of each kind.
 *
 * @throws Error that says why it cannot be measured
 */
export async function servePeer(
  children: Children,
  load: LoadProcess,
  peer: Peer,
  workers: MockWorkers,
): Promise<Served> {
  const version = peer.version();
  if (version === null) throw new Error(`${peer.program} is not installed: see tools/bench/install-peers.sh`);
  const ports = { clients: await freePort(), metrics: await freePort() };
  const port = ports.clients;
  const [command = '', ...args] = peer.command(ports, workers, children);
  const child = children.start(peer.name.replaceAll(/\W+/g, '-'), command, args);
  await children.untilReady(child, `http://127.0.0.1:${String(port)}${peer.readyPath}`);
  const { name, disaggregated } = peer;
  const target = { kind: 'http', port } as const;
  const served = { name, disaggregated, version, flags: flagsOf(args, ports), target, pid: child.pid };
  await tryOut(load, served, child);
  return served;
}

async function tryOut(load: LoadProcess, served: Served, child: Child): Promise<void> {
  for (const stream of [false, true]) {
    const tokens = stream ? 20 : 1;
    const run = await measure(load, served, { body: 'small', stream, tokens, clients: 1, seconds: 0.3 });
    const why = run.firstError ?? 'no answer';
    if (run.requests === 0) throw new Error(`${stream ? 'streams' : 'requests'} fail: ${why}; ${child.log}`);
  }
}

/** Without what is different in every run. */
function flagsOf(args: readonly string[], { clients, metrics }: PeerPorts): string {
  return args
    .join(' ')
    .replaceAll(String(clients), 'PORT')
    .replaceAll(String(metrics), 'PORT')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'URL')
    .replaceAll(/\/\S+\//g, '');
}

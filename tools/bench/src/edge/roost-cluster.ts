import process from 'node:process';
import { fileURLToPath } from 'node:url';

import type { LoadTarget } from '../load/load-spec.js';
import type { Child, Children } from '../machine/children.js';
import { freePort } from '../machine/free-port.js';

/** An edge and the mock workers behind it. */
export interface RoostCluster {
  readonly edge: Child;
  readonly port: number;
  /** The workers themselves. */
  readonly direct: LoadTarget;
}

/** How a cluster runs. */
export interface RoostClusterOptions {
  /** Whether a context worker comes before the generation worker. */
  readonly disaggregated: boolean;
  /** Tokens a second of each stream; 0: as many as go. */
  readonly rate: number;
  readonly logLevel: string;
  /** Folder for a processor profile of the edge. */
  readonly profileTo?: string | undefined;
}

/** Two instances of a fleet, which one process serves. */
type Ports = readonly [number, number];

const EDGE = fileURLToPath(new URL('../../../../apps/edge/dist/main.js', import.meta.url));
const WORKER = fileURLToPath(new URL('../mock-workers/grpc-main.js', import.meta.url));

/** Starts mock workers and an edge before them, with session and sub-agent affinity on and everything signed. */
export async function startRoost(children: Children, options: RoostClusterOptions): Promise<RoostCluster> {
  const { disaggregated, rate, logLevel, profileTo } = options;
  const mode = disaggregated ? 'disaggregated' : 'aggregated';
  const startWorkers = async (role: string): Promise<Ports> => {
    const ports = [await freePort(), await freePort()] as const;
    const args = [WORKER, '--ports', ports.join(), '--role', role, '--rate', String(rate)];
    children.start(`mock-${role}-${mode}`, process.execPath, args);
    return ports;
  };
  const context = disaggregated ? await startWorkers('context') : null;
  const generation = await startWorkers('generation');
  const port = await freePort();
  const config = children.write(`edge-${mode}.yaml`, edgeConfig(port, context, generation, logLevel));
  const profile = profileTo === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileTo}`];
  const edge = children.start(`edge-${mode}`, process.execPath, [...profile, EDGE, '-c', config]);
  await children.untilReady(edge, `http://127.0.0.1:${String(port)}/health`);
  return { edge, port, direct: { kind: 'grpc', context: context?.[0] ?? null, generation: generation[0] } };
}

function edgeConfig(port: number, context: Ports | null, generation: Ports, logLevel: string): string {
  const section = (name: string, workers: Ports): string => {
    const urls = workers.map((worker) => `'127.0.0.1:${String(worker)}'`).join();
    return `${name}_servers: { num_instances: 2, urls: [${urls}], router: { type: conversation } }`;
  };
  return [
    'hostname: 127.0.0.1',
    `port: ${String(port)}`,
    'conversation_affinity_header_for_subagents: X-Parent-Session-ID',
    'internal_request_auth_key: a-key-for-benchmarks-only-0123456789abcdef',
    `logging: { level: ${logLevel} }`,
    ...(context === null ? [] : [section('context', context)]),
    section('generation', generation),
  ].join('\n');
}

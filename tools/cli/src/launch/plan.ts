import type { ClusterConfig, ClusterWorker, ServerSection } from '@roost/config';
import { workerConfigsOf } from '@roost/config';

import { type HandedOn, handOnToEdge, handOnToWorker, type LaunchSource } from './hand-on.js';
import type { ListenPlace } from './ports.js';
import { reachableHost } from './reachable-host.js';

/** Which program a process of a cluster runs. */
export type AppName = 'edge' | 'context-worker' | 'generation-worker';

/** One process of a combined launch. */
export interface PlannedProcess {
  readonly name: string;
  readonly app: AppName;
  /** What it does, in words. */
  readonly role: string;
  /** The host that it listens on. */
  readonly host: string;
  readonly port: number;
  /** ADP ranks; undefined for the edge, which has none. */
  readonly ranks: number | undefined;
  /** Where it can be reached from this machine: `http://host:port` for the edge, `host:port` for a worker. */
  readonly address: string;
  readonly handedOn: HandedOn;
}

/** The processes of a combined launch. */
export interface LaunchPlan {
  readonly edge: PlannedProcess;
  readonly workers: readonly PlannedProcess[];
  /** Where they listen besides, for operators. */
  readonly sidePlaces: readonly ListenPlace[];
  readonly model: string;
  /** Name of the parent-session header; undefined when sub-agent affinity is off. */
  readonly parentHeader: string | undefined;
  /** Milliseconds that a process may take to finish what it is doing. */
  readonly longestShutdown: number;
}

/** Decides what a combined launch of a cluster starts: one process for each worker url, and the edge on `edgePort`. */
export function planLaunch(cluster: ClusterConfig, edgePort: number, source: LaunchSource): LaunchPlan {
  const workers = workerConfigsOf(cluster);
  const sections = [cluster.context_servers, cluster.generation_servers].filter(isThere);
  const shutdowns = [cluster.edge.shutdown_timeout_s, ...sections.map(({ worker }) => worker.shutdown_timeout_s)];
  return {
    edge: planEdge(cluster, edgePort, source),
    workers: workers.map((worker) => planWorker(worker, source.env)),
    sidePlaces: sidePlacesOf(cluster, workers),
    model: sections[0]?.model ?? '',
    parentHeader: cluster.conversation_affinity_header_for_subagents ?? undefined,
    longestShutdown: 1000 * Math.max(...shutdowns),
  };
}

function planEdge(cluster: ClusterConfig, port: number, source: LaunchSource): PlannedProcess {
  const host = cluster.bind_host ?? cluster.hostname;
  return {
    name: 'edge',
    app: 'edge',
    role: 'edge',
    host,
    port,
    ranks: undefined,
    address: `http://${reachableHost(host)}:${String(port)}`,
    handedOn: handOnToEdge(cluster, port, source),
  };
}

function sidePlacesOf({ edge }: ClusterConfig, workers: readonly ClusterWorker[]): ListenPlace[] {
  const places = workers.map(({ config: { hostname, worker }, url }) => {
    return { name: `metrics of ${url}`, host: hostname, port: worker.metrics_port };
  });
  const all = [...places, { name: 'admin of edge', host: '127.0.0.1', port: edge.admin_port }];
  return all.flatMap(({ port, ...place }) => (port === null ? [] : [{ ...place, port }]));
}

function planWorker({ role, index, config }: ClusterWorker, env: NodeJS.ProcessEnv): PlannedProcess {
  const phase = role === 'CONTEXT' ? 'context' : 'generation';
  const { hostname, port } = config;
  return {
    name: `${phase}-${String(index)}`,
    app: `${phase}-worker`,
    role: config.role === null ? 'context and generation' : phase,
    host: hostname,
    port,
    ranks: config.num_ranks,
    address: `${reachableHost(hostname)}:${String(port)}`,
    handedOn: handOnToWorker(config, env),
  };
}

function isThere(section: ServerSection | null): section is ServerSection {
  return section !== null && section.num_instances > 0;
}

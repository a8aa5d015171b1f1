import { deepFreeze } from './deep-freeze.js';
import type { Mapping } from './mapping.js';
import { parseServerUrl } from './merge/check-servers.js';
import { SECTION_NAMES, type SectionName } from './merge/section-names.js';
import type { ClusterConfig } from './schema/cluster-config.js';
import type { ServerSection } from './schema/server-section.js';
import { WorkerArgs } from './schema/worker-args.js';
import { WorkerConfig, type WorkerRole } from './schema/worker-config.js';
import { WorkerSettings } from './schema/worker-settings.js';
import { settingsOf } from './settings/setting.js';

/** One worker of a combined launch. */
export interface ClusterWorker {
  /** The fleet that it was listed in first. */
  readonly role: WorkerRole;
  /** Its place among the urls of that fleet. */
  readonly index: number;
  /** `host:port`. */
  readonly url: string;
  /** `config.role` is null for a worker listed in both fleets. */
  readonly config: WorkerConfig;
}

const ROLE: Readonly<Record<SectionName, WorkerRole>> = {
  context_servers: 'CONTEXT',
  generation_servers: 'GENERATION',
};

/** The workers that a combined launch starts beside the edge, one for each url, with the cluster's key. */
export function workerConfigsOf(cluster: ClusterConfig): readonly ClusterWorker[] {
  const workers = new Map<string, ClusterWorker>();
  for (const name of SECTION_NAMES) {
    const section = cluster[name];
    if (!section) continue;
    for (const [index, url] of section.urls.entries()) {
      const listed = workers.get(url);
      const role = listed ? null : ROLE[name];
      const config = workerConfig(cluster, section, url, role);
      workers.set(url, listed ? { ...listed, config } : { role: ROLE[name], index, url, config });
    }
  }
  return withMetricsPorts([...workers.values()]);
}

/** Workers of one section share its `metrics_port`: each but the first gets the next one that no other has. */
function withMetricsPorts(workers: readonly ClusterWorker[]): readonly ClusterWorker[] {
  const taken = new Set<number>();
  return workers.map((worker) => {
    let port = worker.config.worker.metrics_port;
    if (port === null || port === 0) return worker;
    while (taken.has(port)) port += 1;
    taken.add(port);
    return { ...worker, config: withMetricsPort(worker.config, port) };
  });
}

function withMetricsPort(config: WorkerConfig, metrics_port: number): WorkerConfig {
  const worker = Object.assign(new WorkerSettings(), config.worker, { metrics_port });
  return deepFreeze(Object.assign(new WorkerConfig(), config, { worker }));
}

function workerConfig(
  cluster: ClusterConfig,
  section: ServerSection,
  url: string,
  role: WorkerRole | null,
): WorkerConfig {
  const from = section as unknown as Mapping;
  const args = Object.fromEntries(settingsOf(WorkerArgs).map(({ name }) => [name, from[name]]));
  return deepFreeze(
    Object.assign(new WorkerConfig(), args, {
      ...parseServerUrl(url),
      otlp_traces_endpoint: section.otlp_traces_endpoint ?? cluster.otlp_config?.otlp_traces_endpoint ?? null,
      role,
      server_role: role,
      internal_request_auth_key: cluster.internal_request_auth_key,
      internal_request_auth_previous_keys: cluster.internal_request_auth_previous_keys,
    }),
  );
}

import type { WorkerConfig } from '@roost/config';
import { type AppMetrics, createAppMetrics, WORKER_METRICS } from '@roost/observability';
import { ROOST_VERSION } from '@roost/protocol';

/** What a worker counts and measures. */
export type WorkerMetrics = AppMetrics<typeof WORKER_METRICS>;

/** The metrics of a worker, with nothing in them yet. */
export function createWorkerMetrics({ role }: Pick<WorkerConfig, 'role'>): WorkerMetrics {
  const fleet = role === null ? 'both' : role.toLowerCase();
  return createAppMetrics('worker', ROOST_VERSION, WORKER_METRICS, { fleet });
}

import { randomUUID } from 'node:crypto';

import { balanceLimitsOf, createAdpRouter } from '@roost/adp-router';
import { CacheTransceiverConfig, type WorkerConfig } from '@roost/config';
import type { Engine } from '@roost/engine';
import { createTracer } from '@roost/observability';
import { ROOST_VERSION } from '@roost/protocol';

import { HeldHandoffs } from './handoff/held-handoffs.js';
import { KvPuller } from './handoff/kv-puller.js';
import { InFlight } from './lifecycle/in-flight.js';
import { createWorkerMetrics } from './metrics/worker-metrics.js';
import { ConfiguredRole } from './role.js';
import { type RankPlacement, RankQueue } from './scheduling/rank-queue.js';
import type { WorkerParts } from './worker-parts.js';

/** For a worker without handoffs, which holds and fetches nothing. */
const DEFAULT_TRANSCEIVER = new CacheTransceiverConfig();

/**
 * Puts a worker together around its engine.
 *
 * @throws Error when `otlp_traces_endpoint` is not a URL
 */
export async function makeWorkerParts(engine: Engine, config: WorkerConfig): Promise<WorkerParts> {
  const router = createAdpRouter(config.attention_dp_config, engine.info.maxBatchSize);
  const timeoutMs = (config.cache_transceiver_config ?? DEFAULT_TRANSCEIVER).kv_transfer_timeout_ms;
  const host = config.worker.advertise_host ?? config.hostname;
  const metrics = createWorkerMetrics(config);
  const tracer = await createTracer({
    endpoint: config.otlp_traces_endpoint,
    service: `roost-${config.role === null ? '' : `${config.role.toLowerCase()}-`}worker`,
    version: ROOST_VERSION,
    lost: (spans) => metrics.add('spansLost', {}, spans),
  });
  const onPlaced = ({ rank, decision }: RankPlacement): void => metrics.add('rankDecisions', { rank, decision });
  return {
    engine,
    router,
    queue: new RankQueue(engine, router, {
      maxQueued: config.worker.max_queued_requests,
      balance: balanceLimitsOf(config.attention_dp_config),
      onPlaced,
    }),
    held: new HeldHandoffs(
      timeoutMs,
      (handle) => engine.release(handle),
      () => metrics.add('handoffsExpired'),
    ),
    puller: new KvPuller(timeoutMs, (bytes) => metrics.add('handoffBytes', { direction: 'received' }, bytes)),
    metrics,
    tracer,
    inFlight: new InFlight(),
    incarnation: randomUUID(),
    role: new ConfiguredRole(config.role),
    endpoint: `${host}:${String(config.port)}`,
  };
}

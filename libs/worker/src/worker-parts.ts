import type { AdpRouter } from '@roost/adp-router';
import type { Engine } from '@roost/engine';
import type { Tracer } from '@roost/observability';

import type { HeldHandoffs } from './handoff/held-handoffs.js';
import type { KvPuller } from './handoff/kv-puller.js';
import type { InFlight } from './lifecycle/in-flight.js';
import type { WorkerMetrics } from './metrics/worker-metrics.js';
import type { ConfiguredRole } from './role.js';
import type { RankQueue } from './scheduling/rank-queue.js';

/** What a worker is made of. */
export interface WorkerParts {
  readonly engine: Engine;
  readonly router: AdpRouter;
  readonly queue: RankQueue;
  readonly held: HeldHandoffs;
  readonly puller: KvPuller;
  readonly inFlight: InFlight;
  readonly role: ConfiguredRole;
  /** Changes with every start of the process. */
  readonly incarnation: string;
  /** Where this worker serves KvTransferService, host:port. */
  readonly endpoint: string;
  readonly metrics: WorkerMetrics;
  readonly tracer: Tracer;
}

/** The Nest token of {@link WorkerParts}. */
export const WORKER_PARTS = Symbol('WORKER_PARTS');

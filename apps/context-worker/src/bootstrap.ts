import type { INestMicroservice } from '@nestjs/common';
import type { WorkerConfig } from '@roost/config';
import { createWorker } from '@roost/worker';

/** Builds the context worker from its configuration, not yet listening. */
export function createContextWorker(config: WorkerConfig): Promise<INestMicroservice> {
  return createWorker('context-worker', config);
}

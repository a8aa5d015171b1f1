import type { INestMicroservice } from '@nestjs/common';
import type { WorkerConfig } from '@roost/config';
import { createWorker } from '@roost/worker';

/**
 * Builds the context worker from its configuration, not yet listening.
 *
 * @throws Error when the configuration is one of a generation worker
 */
export async function createContextWorker(config: WorkerConfig): Promise<INestMicroservice> {
  return createWorker('context-worker', config, 'CONTEXT');
}

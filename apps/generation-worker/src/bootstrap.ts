import type { INestMicroservice } from '@nestjs/common';
import type { WorkerConfig } from '@roost/config';
import { createWorker } from '@roost/worker';

/**
 * Builds the generation worker from its configuration, not yet listening.
 *
 * @throws Error when the configuration is one of a context worker
 */
export async function createGenerationWorker(config: WorkerConfig): Promise<INestMicroservice> {
  return createWorker('generation-worker', config, 'GENERATION');
}

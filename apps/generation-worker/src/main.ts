import { loadWorkerConfig } from '@roost/config';
import { startApp } from '@roost/launch';
import { serveWorker } from '@roost/worker';

import { createGenerationWorker } from './bootstrap.js';

await startApp('generation-worker', async (file) => {
  const { config, warnings } = loadWorkerConfig(file, process.env);
  for (const warning of warnings) process.stderr.write(`generation-worker: ${warning}\n`);
  await serveWorker(await createGenerationWorker(config));
});

import { loadWorkerConfig } from '@roost/config';
import { startApp } from '@roost/launch';
import { serveWorker } from '@roost/worker';

import { createContextWorker } from './bootstrap.js';

await startApp('context-worker', async (file) => {
  const { config, warnings } = loadWorkerConfig(file, process.env);
  for (const warning of warnings) process.stderr.write(`context-worker: ${warning}\n`);
  await serveWorker(await createContextWorker(config));
});

import { loadClusterConfig } from '@roost/config';
import { startApp } from '@roost/launch';

import { createEdge, serveEdge } from './bootstrap.js';

await startApp('edge', async (file) => {
  const { config, warnings } = loadClusterConfig(file, process.env);
  for (const warning of warnings) process.stderr.write(`edge: ${warning}\n`);
  await serveEdge(await createEdge(config), config);
});

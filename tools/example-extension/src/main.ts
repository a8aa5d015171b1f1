import { loadClusterConfig } from '@roost/config';
import { createEdge, serveEdge } from '@roost/edge';
import { startApp } from '@roost/launch';

import { RendezvousModule } from './rendezvous.module.js';

await startApp('edge', async (file) => {
  const { config } = loadClusterConfig(file, process.env);
  await serveEdge(await createEdge(config, [RendezvousModule]), config);
});

import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import type { Child, Children } from '../machine/children.js';
import { freePort } from '../machine/free-port.js';

const ROOST = fileURLToPath(new URL('../../../cli/dist/main.js', import.meta.url));
const CLUSTER_FILE = fileURLToPath(new URL('../../../cluster/llama-cpp.yaml', import.meta.url));
const FIXED_PORTS = /\b8(?:000|[12]0[12])\b/g;

/** The cluster that `npm start -- --engine llama-cpp` starts, on ports that are free, with `roost up`. */
export async function startLlamaCluster(children: Children): Promise<{ readonly roost: Child; readonly url: string }> {
  const source = readFileSync(CLUSTER_FILE, 'utf8');
  const ports = new Map<string, string>();
  for (const fixed of new Set(source.match(FIXED_PORTS))) ports.set(fixed, String(await freePort()));
  const file = children.write(
    'cluster.yaml',
    source.replaceAll(FIXED_PORTS, (fixed) => ports.get(fixed) ?? fixed),
  );
  const roost = children.start('roost-up', process.execPath, [ROOST, 'up', '-c', file]);
  const url = `http://127.0.0.1:${String(ports.get('8000'))}`;
  await children.untilReady(roost, `${url}/health`);
  return { roost, url };
}

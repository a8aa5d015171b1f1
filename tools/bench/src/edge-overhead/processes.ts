import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { freePort } from '../machine/free-port.js';

/** One edge and one worker that serves requests whole, each a process of its own. */
export interface Bench {
  readonly edgeUrl: string;
  readonly worker: string;
  stop(): void;
}

const APPS = fileURLToPath(new URL('../../../../apps', import.meta.url));

/**
 * Starts the processes on free ports of loopback, with an engine that models no time.
 *
 * @param options.router the type of the edge's router
 * @throws Error when the edge is not ready within 30 s
 */
export async function startBench({ router = 'conversation' }: { router?: string } = {}): Promise<Bench> {
  const folder = mkdtempSync(path.join(tmpdir(), 'roost-bench-'));
  const [edgePort, workerPort] = [await freePort(), await freePort()];
  const worker = `127.0.0.1:${String(workerPort)}`;
  const quiet = 'logging: { level: warn }\n';
  const engine = 'engine: { simulated: { speed_up: 1000000 } }\nmax_batch_size: 1024\nmax_num_tokens: 1000000\n';
  const children = [
    start(folder, 'generation-worker', `port: ${String(workerPort)}\n${engine}${quiet}`),
    start(
      folder,
      'edge',
      `hostname: 127.0.0.1\nport: ${String(edgePort)}\n${quiet}generation_servers:\n  urls: [${worker}]\n  router: { type: ${router} }\n`,
    ),
  ];
  const edgeUrl = `http://127.0.0.1:${String(edgePort)}`;
  const stop = (): void => {
    for (const child of children) child.kill('SIGTERM');
    rmSync(folder, { recursive: true });
  };
  try {
    await untilReady(edgeUrl);
  } catch (error) {
    stop();
    throw error;
  }
  return { edgeUrl, worker, stop };
}

function start(folder: string, app: string, yaml: string): ChildProcess {
  const file = path.join(folder, `${app}.yaml`);
  writeFileSync(file, yaml);
  return spawn(process.execPath, [path.join(APPS, app, 'dist', 'main.js'), '-c', file], { stdio: 'inherit' });
}

async function untilReady(url: string): Promise<void> {
  const end = Date.now() + 30_000;
  while (Date.now() < end) {
    const answer = await fetch(`${url}/health`).catch(() => null);
    if (answer?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} is not ready after 30 s`);
}

import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

import { isGrpcServing } from '../readiness/grpc-health.js';
import { isHttpHealthy } from '../readiness/http-health.js';
import { waitUntil } from '../readiness/wait-until.js';
import type { Clock } from '../supervision/clock.js';
import type { SupervisedSpec } from '../supervision/supervisor.js';

import type { LaunchPlan, PlannedProcess } from './plan.js';
import type { PrivateDirectory } from './private-directory.js';

/** The children of a plan, the workers' configurations written into `directory`. The edge is stopped before the workers. */
export function childrenOf(
  { edge, workers }: LaunchPlan,
  directory: PrivateDirectory,
  clock: Clock,
): readonly SupervisedSpec[] {
  return [edge, ...workers].map((planned) => ({
    name: planned.name,
    program: fileURLToPath(import.meta.resolve(`@roost/${planned.app}/main`)),
    args: ['-c', configFile(planned, directory)],
    env: planned.handedOn.env,
    stopOrder: planned === edge ? 0 : 1,
    waitUntilReady: (signal: AbortSignal) => waitUntil(() => isReady(planned), clock, signal),
  }));
}

/** A port of `host` that nobody listens on now. */
export function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port: 0 }, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

function configFile({ name, handedOn: { config } }: PlannedProcess, directory: PrivateDirectory): string {
  return 'file' in config ? config.file : directory.write(`${name}.yaml`, config.text);
}

function isReady({ app, address }: PlannedProcess): Promise<boolean> {
  return app === 'edge' ? isHttpHealthy(address) : isGrpcServing(address);
}

import { logVerbosity, type Server, setLogVerbosity } from '@grpc/grpc-js';
import { type INestMicroservice, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { CustomStrategy } from '@nestjs/microservices';
import type { WorkerConfig } from '@roost/config';
import { CHANNEL_OPTIONS, GrpcServer, GrpcServices, ServingStatus } from '@roost/grpc-transport';
import { AppLogger } from '@roost/observability';
import { WORKER_PACKAGE, workerPackageDefinition } from '@roost/protocol';

import { engineModuleOf } from './engine-module.js';
import { WORKER_PARTS, type WorkerParts } from './worker-parts.js';
import { WorkerModule } from './worker.module.js';

/**
 * Builds a worker from its configuration, not yet listening.
 *
 * @param name the app's name in logs
 * @param phase what the app is for: a file that gives the worker the other role was meant for the other app; null for any
 * @throws Error for such a file, and when the engine cannot be made
 */
export async function createWorker(
  name: string,
  config: WorkerConfig,
  phase: WorkerConfig['role'] = null,
): Promise<INestMicroservice> {
  if (phase !== null && config.role !== null && config.role !== phase) {
    throw new Error(
      `the file says role: ${config.role}, but this is a ${name}: start the other app, or change the role`,
    );
  }
  const engineModule = await engineModuleOf(config);
  const url = `${config.hostname}:${String(config.port)}`;
  const app = await NestFactory.createMicroservice<CustomStrategy>(WorkerModule.with(name, config, engineModule), {
    strategy: new GrpcServer({
      url,
      package: WORKER_PACKAGE,
      packageDefinition: workerPackageDefinition,
      channelOptions: CHANNEL_OPTIONS,
      onLoadPackageDefinition: (_package: unknown, server: Server) => {
        app.get(GrpcServices, { strict: false }).attachTo(server);
        app.get(ServingStatus).attachTo(server);
      },
    }),
    bufferLogs: true,
    abortOnError: false,
  });
  app.useLogger(app.get(AppLogger, { strict: false }));
  app.enableShutdownHooks([], { useProcessExit: true });
  return app;
}

/** Opens the worker's port, and says SERVING. */
export async function serveWorker(app: INestMicroservice): Promise<void> {
  await listenQuietly(app);
  app.get(ServingStatus).set(true);
  const { endpoint, engine } = app.get<WorkerParts>(WORKER_PARTS);
  const { model, numRanks, engine: kind } = engine.info;
  new Logger('Worker').log({ endpoint, engine: kind, model, ranks: numRanks, msg: 'the worker serves' });
}

/** Why a port cannot be opened comes as an error; gRPC's own line about it would be a second message. */
async function listenQuietly(app: INestMicroservice): Promise<void> {
  const isSet = process.env['GRPC_VERBOSITY'] !== undefined;
  if (!isSet) setLogVerbosity(logVerbosity.NONE);
  try {
    await app.listen();
  } finally {
    if (!isSet) setLogVerbosity(logVerbosity.ERROR);
  }
}

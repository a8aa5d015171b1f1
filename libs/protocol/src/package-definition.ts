import type { ServiceDefinition } from '@grpc/grpc-js';

import { protobufPackage, WorkerServiceService } from './generated/roost/worker/v1/worker.js';

/** The protobuf package of every Roost service. */
export const WORKER_PACKAGE = protobufPackage;

/**
 * The control services in the shape that Nest's gRPC server loads, built from the generated codecs, so that no `.proto` file is
 * read at run time.
 */
export const workerPackageDefinition: Readonly<Record<string, ServiceDefinition>> = {
  [`${protobufPackage}.WorkerService`]: WorkerServiceService,
};

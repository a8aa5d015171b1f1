import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { WorkerConfig } from '@roost/config';
import { ServingStatus } from '@roost/grpc-transport';
import { type SideAnswer, SideServer } from '@roost/observability';

import { WORKER_PARTS, type WorkerParts } from '../worker-parts.js';

import { readWorker } from './read-worker.js';

/** The Nest token of where a worker shows its metrics: `hostname` and `worker.metrics_port`. */
export const METRICS_PLACE = Symbol('METRICS_PLACE');

/** Where metrics are shown; a null port: nowhere. */
export interface MetricsPlace {
  readonly host: string;
  readonly port: number | null;
}

/** The place that a configuration names. */
export function metricsPlaceOf({ hostname, worker }: WorkerConfig): MetricsPlace {
  return { host: hostname, port: worker.metrics_port };
}

/** Shows a worker's metrics over HTTP, until the worker has gone down. */
@Injectable()
export class MetricsListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Worker');
  private server: SideServer | null = null;

  constructor(
    @Inject(WORKER_PARTS) private readonly parts: WorkerParts,
    @Inject(METRICS_PLACE) private readonly place: MetricsPlace,
    private readonly status: ServingStatus,
  ) {}

  /** @throws Error of the system when it cannot listen there */
  async onApplicationBootstrap(): Promise<void> {
    const { host, port } = this.place;
    if (port === null) return;
    readWorker(this.parts);
    this.parts.metrics.readOne('serving', () => (this.status.serving ? 1 : 0));
    this.server = await SideServer.start({ host, port }, (path) => this.answer(path));
    this.logger.log({ url: `http://${host}:${String(this.server.port)}/metrics`, msg: 'metrics are shown' });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }

  private async answer(path: string): Promise<SideAnswer | null> {
    if (path !== '/metrics') return null;
    const { metrics } = this.parts;
    return { status: 200, contentType: metrics.contentType, body: await metrics.text() };
  }
}

import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import type { ClusterConfig } from '@roost/config';

import { CLUSTER_CONFIG } from './config-token.js';
import { Fleets } from './fleets/fleets.js';
import { EDGE_STATUS, type EdgeStatus } from './http/edge-status.js';
import { ServeRequest } from './request/serve-request.js';
import { TraceLog } from './trace-log/trace-log.js';

/** Takes the edge down in order: say unavailable, let requests finish within their time, end what is left, close the fleets. */
@Injectable()
export class EdgeLifecycle implements BeforeApplicationShutdown {
  private readonly logger = new Logger(EdgeLifecycle.name);

  constructor(
    @Inject(CLUSTER_CONFIG) private readonly config: ClusterConfig,
    @Inject(EDGE_STATUS) private readonly status: EdgeStatus,
    private readonly requests: ServeRequest,
    private readonly fleets: Fleets,
    private readonly traceLog: TraceLog,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    this.status.draining = true;
    const timeUp = Promise.withResolvers<'time up'>();
    const timer = setTimeout(() => timeUp.resolve('time up'), this.config.edge.shutdown_timeout_s * 1_000);
    const outcome = await Promise.race([this.requests.idle(), timeUp.promise]);
    clearTimeout(timer);
    if (outcome === 'time up') this.logger.warn('the shutdown timeout is over: ending the requests that still run');
    this.requests.abortAll();
    await this.requests.idle();
    await this.traceLog.flush();
    this.fleets.close();
  }
}

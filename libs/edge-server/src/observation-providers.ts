import type { Provider } from '@nestjs/common';
import type { ClusterConfig } from '@roost/config';
import { createTracer, PinoLogger, type Tracer, TRACER } from '@roost/observability';
import { ROOST_VERSION } from '@roost/protocol';

import { AdminServer } from './explain/admin-server.js';
import { RecentRequests } from './explain/recent-requests.js';
import { EDGE_STATUS, type EdgeStatus } from './http/edge-status.js';
import { AffinityWatch } from './metrics/affinity-watch.js';
import { createEdgeMetrics, EDGE_METRICS_SET, type EdgeMetrics } from './metrics/edge-metrics.js';
import { RequestRecorder } from './metrics/request-recorder.js';
import { RequestObserver } from './request/request-observer.js';

/** Whatever an operator sees of an edge: metrics, traces, explanations, and warnings of affinity that does nothing. */
export function observationProviders({ edge, otlp_config }: ClusterConfig): Provider[] {
  return [
    RequestObserver,
    AdminServer,
    { provide: EDGE_METRICS_SET, useFactory: createEdgeMetrics },
    {
      provide: RequestRecorder,
      inject: [EDGE_METRICS_SET],
      useFactory: (metrics: EdgeMetrics) => new RequestRecorder(metrics),
    },
    {
      provide: AffinityWatch,
      inject: [EDGE_STATUS, EDGE_METRICS_SET, PinoLogger],
      useFactory: ({ parentHeader }: EdgeStatus, metrics: EdgeMetrics, logger: PinoLogger) =>
        new AffinityWatch(parentHeader, metrics, (message) => logger.warn(message)),
    },
    {
      provide: RecentRequests,
      useFactory: () => new RecentRequests(edge.admin_port === null ? 0 : edge.explained_requests),
    },
    {
      provide: TRACER,
      inject: [EDGE_METRICS_SET],
      useFactory: (metrics: EdgeMetrics): Promise<Tracer> =>
        createTracer({
          endpoint: otlp_config?.otlp_traces_endpoint ?? null,
          service: 'roost-edge',
          version: ROOST_VERSION,
          lost: (spans) => metrics.add('spansLost', {}, spans),
        }),
    },
  ];
}

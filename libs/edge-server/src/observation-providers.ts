import type { Provider } from '@nestjs/common';
import type { ClusterConfig, EdgeSettings } from '@roost/config';
import { createTracer, PinoLogger, type Tracer, TRACER } from '@roost/observability';
import { ROOST_VERSION } from '@roost/protocol';

import { AdminServer } from './explain/admin-server.js';
import { RecentRequests } from './explain/recent-requests.js';
import { EDGE_STATUS, type EdgeStatus } from './http/edge-status.js';
import { AffinityWatch } from './metrics/affinity-watch.js';
import { createEdgeMetrics, EDGE_METRICS_SET, type EdgeMetrics } from './metrics/edge-metrics.js';
import { RequestRecorder } from './metrics/request-recorder.js';
import { PromptTokenizer } from './request/prompt-tokenizer.js';
import { RequestObserver } from './request/request-observer.js';
import { RotatingFile } from './trace-log/rotating-file.js';
import { TraceLog } from './trace-log/trace-log.js';

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
      provide: TraceLog,
      inject: [PromptTokenizer, PinoLogger],
      useFactory: (tokenizer: PromptTokenizer, logger: PinoLogger) => new TraceLog(traceFile(edge, logger), tokenizer),
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

function traceFile({ trace_log, trace_log_bytes }: EdgeSettings, logger: PinoLogger): RotatingFile | null {
  if (trace_log === null) return null;
  return new RotatingFile(trace_log, trace_log_bytes, (error) =>
    logger.warn({ err: error, file: trace_log }, 'lines of the trace log were lost'),
  );
}

import { type AppMetrics, createAppMetrics, EDGE_METRICS } from '@roost/observability';
import { ROOST_VERSION } from '@roost/protocol';

/** What an edge counts and measures. */
export type EdgeMetrics = AppMetrics<typeof EDGE_METRICS>;

/** The Nest token of {@link EdgeMetrics}. */
export const EDGE_METRICS_SET = Symbol('EDGE_METRICS_SET');

/** The metrics of an edge, with nothing in them yet. */
export function createEdgeMetrics(): EdgeMetrics {
  return createAppMetrics('edge', ROOST_VERSION, EDGE_METRICS);
}

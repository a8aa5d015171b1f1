export { AppLogger } from './app-logger.js';
export { LoggingModule, type LoggingOptions } from './logging.module.js';
export { BoundedValues } from './metrics/bounded-values.js';
export { EDGE_METRICS, type MetricDefinition, WORKER_METRICS } from './metrics/definitions.js';
export { type Labels, MetricSet, type Reading } from './metrics/metric-set.js';
export { type AppMetrics, createAppMetrics } from './metrics/process-metrics.js';
export { jsonAnswer, type SideAnswer, SideServer } from './side-server.js';
export { PinoLogger } from 'nestjs-pino';

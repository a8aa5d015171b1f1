import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';

import { type MetricDefinitions, PROCESS_METRICS } from './definitions.js';
import { type Labels, MetricSet, type Reading } from './metric-set.js';

/** How often, in milliseconds, the event loop is looked at. */
const RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;

/** The metrics of one app: its own, and those of every process. */
export type AppMetrics<Definitions extends MetricDefinitions> = MetricSet<Definitions & typeof PROCESS_METRICS>;

/**
 * Metrics for an app that is defined by `definitions`. Watching the event loop begins with the first scrape.
 *
 * @param app the app's name, e.g. `edge`
 * @param labels on every metric
 */
export function createAppMetrics<Definitions extends MetricDefinitions>(
  app: string,
  version: string,
  definitions: Definitions,
  labels: Labels = {},
): AppMetrics<Definitions> {
  const metrics = new MetricSet({ ...definitions, ...PROCESS_METRICS }, labels);
  const started = Date.now() / 1_000 - process.uptime();
  const delay = new EventLoopDelay();
  metrics.read('buildInfo', () => [[{ app, version }, 1]]);
  metrics.read('eventLoopDelay', () => delay.readings());
  metrics.readOne('heapUsed', () => process.memoryUsage().heapUsed);
  metrics.readOne('residentMemory', () => process.memoryUsage.rss());
  metrics.readOne('cpu', () => cpuSeconds());
  metrics.readOne('startTime', () => started);
  return metrics;
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

type IntervalHistogram = ReturnType<typeof monitorEventLoopDelay>;

/** How late timers fire, since it was last asked. */
class EventLoopDelay {
  private watch: IntervalHistogram | null = null;

  readings(): Reading[] {
    const watch = this.watch ?? this.begin();
    const quantiles = [0.5, 0.99, 1].map((quantile): Reading => [{ quantile }, lateness(watch, quantile)]);
    watch.reset();
    return quantiles;
  }

  private begin(): IntervalHistogram {
    this.watch = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.watch.enable();
    return this.watch;
  }
}

/** What is measured is the time between two looks, which is the resolution when nothing is late. */
function lateness(watch: IntervalHistogram, quantile: number): number {
  if (watch.count === 0) return 0;
  return Math.max(0, watch.percentile(quantile * 100) / NANOSECONDS - RESOLUTION_MS / 1_000);
}

import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { MetricDefinition, MetricDefinitions } from './definitions.js';

/** Label values of one series; a metric is recorded with all of its labels or none of its series is found again. */
export type Labels = Readonly<Record<string, string | number>>;

/** A value that is read when somebody scrapes, with its labels. */
export type Reading = readonly [labels: Labels, value: number];

const NO_LABELS: Labels = {};

/** The metrics of one process, defined beforehand; what is not defined cannot be recorded. */
export class MetricSet<Definitions extends MetricDefinitions> {
  private readonly registry = new Registry();
  private readonly metrics = new Map<keyof Definitions, Counter | Gauge | Histogram>();
  private readonly readers = new Map<keyof Definitions, () => Iterable<Reading>>();

  /** @param labels on every metric */
  constructor(definitions: Definitions, labels: Labels = NO_LABELS) {
    this.registry.setDefaultLabels(labels);
    for (const [key, definition] of Object.entries(definitions)) this.metrics.set(key, this.make(key, definition));
  }

  /** Adds to a counter. */
  add(key: keyof Definitions, labels: Labels = NO_LABELS, value = 1): void {
    const metric = this.metrics.get(key);
    if (!(metric instanceof Counter)) throw new TypeError(`${String(key)} is not a counter`);
    metric.inc(labels, value);
  }

  /** Takes a value into a histogram. */
  observe(key: keyof Definitions, value: number, labels: Labels = NO_LABELS): void {
    const metric = this.metrics.get(key);
    if (!(metric instanceof Histogram)) throw new TypeError(`${String(key)} is not a histogram`);
    metric.observe(labels, value);
  }

  /** Has a gauge, or a counter that somebody else keeps, read at every scrape; what is not read again is gone. */
  read(key: keyof Definitions, reader: () => Iterable<Reading>): void {
    const metric = this.metrics.get(key);
    if (metric === undefined || metric instanceof Histogram) throw new TypeError(`${String(key)} cannot be read`);
    this.readers.set(key, reader);
  }

  /** {@link read} for a metric without labels. */
  readOne(key: keyof Definitions, reader: () => number): void {
    this.read(key, () => [[NO_LABELS, reader()]]);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** All metrics in Prometheus' text format. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  private make(key: string, { name, type, meaning, labels, buckets }: MetricDefinition): Counter | Gauge | Histogram {
    const readAll = (): Iterable<Reading> => this.readers.get(key)?.() ?? [];
    const isRead = (): boolean => this.readers.has(key);
    const common = { name, help: meaning, labelNames: [...labels], registers: [this.registry] };
    if (type === 'histogram') return new Histogram({ ...common, buckets: [...(buckets ?? [])] });
    if (type === 'gauge') {
      return new Gauge({
        ...common,
        collect() {
          this.reset();
          for (const [of, value] of readAll()) this.set(of, value);
        },
      });
    }
    return new Counter({
      ...common,
      collect() {
        if (!isRead()) return;
        this.reset();
        for (const [of, value] of readAll()) this.inc(of, value);
      },
    });
  }
}

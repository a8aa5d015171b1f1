import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  ROOT_CONTEXT,
  trace,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

import type { Span, SpanAttributes, SpanStart } from './span.js';
import type { CarriedField, Tracer, TracerOptions } from './tracer.js';

const SEND_EVERY_MS = 1_000;
const CLOSE_WITHIN_MS = 3_000;
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;
const FIELDS = ['traceparent', 'tracestate'] as const;
const propagator = new W3CTraceContextPropagator();

/** A tracer that sends spans to an OTLP/HTTP collector, in batches, and loses those that it does not take. */
export function createOtlpTracer(url: string, { service, version, lost }: Omit<TracerOptions, 'endpoint'>): Tracer {
  const exporter = new CountedExporter(new OTLPTraceExporter({ url, timeoutMillis: CLOSE_WITHIN_MS }), lost);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_EVERY_MS, exportTimeoutMillis: CLOSE_WITHIN_MS }),
    ],
  });
  const tracer = provider.getTracer('roost', version);
  return {
    enabled: true,
    begin: (name, carried, start) => beginSpan(tracer, name, contextOf(carried), { kind: 'server', ...start }),
    close: async () => {
      await provider.shutdown().catch(() => undefined);
    },
  };
}

function contextOf(carried: CarriedField): Context {
  const carrier = Object.fromEntries(FIELDS.map((field) => [field, carried(field)]));
  return propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter);
}

function beginSpan(tracer: OtelTracer, name: string, parent: Context, start: SpanStart = {}): Span {
  const { attributes = {}, kind = 'internal', at } = start;
  const span = tracer.startSpan(
    name,
    { kind: KINDS[kind], attributes: attributesOf(attributes), ...(at === undefined ? {} : { startTime: at }) },
    parent,
  );
  return new RecordedSpan(tracer, span, trace.setSpan(parent, span));
}

class RecordedSpan implements Span {
  readonly traceId: string;
  private ended = false;

  constructor(
    private readonly tracer: OtelTracer,
    private readonly span: OtelSpan,
    private readonly context: Context,
  ) {
    this.traceId = span.spanContext().traceId;
  }

  child(name: string, start?: SpanStart): Span {
    return beginSpan(this.tracer, name, this.context, start);
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(attributesOf(attributes));
  }

  end(outcome: string, at?: number): void {
    if (this.ended) return;
    this.ended = true;
    this.span.setAttribute('roost.outcome', outcome);
    if (outcome !== 'ok') this.span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
    this.span.end(at);
  }

  carry(put: (field: string, value: string) => void): void {
    propagator.inject(this.context, undefined, { set: (_carrier, field, value) => put(field, value) });
  }
}

function attributesOf(attributes: SpanAttributes): Attributes {
  const said: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) if (value !== null) said[name] = value;
  return said;
}

/** Tells how many spans were lost; the tracer itself says nothing of it. */
class CountedExporter implements SpanExporter {
  constructor(
    private readonly inner: SpanExporter,
    private readonly lost: (spans: number) => void,
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.inner.export(spans, (result) => {
      if (result.code !== ExportResultCode.SUCCESS) this.lost(spans.length);
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.inner.shutdown();
  }
}

import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as the collector was told of it. */
export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a span without a parent. */
  readonly parentSpanId: string;
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Takes traces over OTLP/HTTP on a real socket, and keeps them. */
export class OtlpCollector {
  readonly spans: CollectedSpan[] = [];
  /** Paths that were asked for. */
  readonly paths = new Set<string>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<OtlpCollector> {
    const server = createServer();
    const collector = new OtlpCollector(server);
    server.on('request', (request, response) => {
      void collector.take(request).then(() => response.setHeader('content-type', 'application/json').end('{}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  /** Without a path. */
  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  trace(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async take(request: IncomingMessage): Promise<void> {
    this.paths.add(request.url ?? '');
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    for (const { resource, scopeSpans } of (JSON.parse(body) as Payload).resourceSpans) {
      const service = attributesOf(resource.attributes)['service.name'] ?? '';
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) this.spans.push(collected(service, span));
    }
  }
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface TracedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
}

interface Payload {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly TracedSpan[] }[];
  }[];
}

function collected(service: string, span: TracedSpan): CollectedSpan {
  const { name, traceId, spanId, parentSpanId = '' } = span;
  const [start, end] = [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)];
  return { service, name, traceId, spanId, parentSpanId, start, end, attributes: attributesOf(span.attributes) };
}

function attributesOf(attributes: readonly Attribute[]): Record<string, string> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));
}

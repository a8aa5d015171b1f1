import { NO_SPAN, type Span, type SpanStart } from './span.js';

/** Reads one field of what came with a call; undefined where it did not come. */
export type CarriedField = (field: string) => string | undefined;

/** Begins traces, or goes on with those that callers have begun. */
export interface Tracer {
  /** Whether anything is recorded at all. */
  readonly enabled: boolean;
  /** Begins the step that answers a call. */
  begin(name: string, carried: CarriedField, start?: SpanStart): Span;
  /** Sends what has not been sent, and ends. Gives up after a few seconds. */
  close(): Promise<void>;
}

/** The Nest token of the {@link Tracer}. */
export const TRACER = Symbol('TRACER');

/** Records nothing, and costs nothing. */
export const NO_TRACER: Tracer = { enabled: false, begin: () => NO_SPAN, close: () => Promise.resolve() };

/** Where traces go, and as whose. */
export interface TracerOptions {
  /** URL of an OTLP/HTTP collector; without a path, `/v1/traces` is added. Null: nothing is recorded. */
  readonly endpoint: string | null;
  /** `service.name`, e.g. `roost-edge`. */
  readonly service: string;
  readonly version: string;
  /** Told how many spans the collector did not take. */
  readonly lost: (spans: number) => void;
}

/**
 * The tracer that a configuration asks for. What a client says of sampling holds; a trace that begins here is recorded.
 *
 * @throws Error when the endpoint is not a URL of HTTP or HTTPS
 */
export async function createTracer({ endpoint, ...options }: TracerOptions): Promise<Tracer> {
  if (endpoint === null) return NO_TRACER;
  // OpenTelemetry is loaded by those who want it only.
  const { createOtlpTracer } = await import('./otlp-tracer.js');
  return createOtlpTracer(tracesUrl(endpoint), options);
}

/** Where OTLP/HTTP takes traces. */
function tracesUrl(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error('otlp_traces_endpoint must be a URL like http://collector:4318/v1/traces (OTLP over HTTP)');
  }
  if (url.pathname === '/') url.pathname = '/v1/traces';
  return url.href;
}

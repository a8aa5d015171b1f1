import { NO_TRACER, type Tracer, type TracerOptions } from './tracer.js';

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

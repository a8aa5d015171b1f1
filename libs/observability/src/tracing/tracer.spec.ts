import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { createTracer } from './create-tracer.js';
import { NO_SPAN } from './span.js';
import { NO_TRACER, type Tracer } from './tracer.js';

// Owns: what is sent to a collector, what goes on to the next process, and what happens when nobody collects.

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;

interface Sent {
  readonly url: string | undefined;
  readonly spans: readonly {
    readonly name: string;
    readonly traceId: string;
    readonly status: { readonly code?: number };
  }[];
}

describe('createTracer', () => {
  let collector: Server;
  let status: number;
  let sent: Sent[];
  let lost: number;
  let tracers: Tracer[];

  beforeEach(async () => {
    [status, sent, lost, tracers] = [200, [], 0, []];
    collector = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Sent['spans'] }[] }[] };
        const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans).flatMap((scope) => scope.spans);
        sent.push({ url: request.url, spans });
        response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  });

  afterEach(async () => {
    await Promise.all(tracers.map((tracer) => tracer.close()));
    collector.close();
  });

  async function tracerTo(path = ''): Promise<Tracer> {
    const endpoint = `http://127.0.0.1:${String((collector.address() as AddressInfo).port)}${path}`;
    const options = { endpoint, service: 'test', version: '1', lost: (spans: number) => void (lost += spans) };
    const tracer = await createTracer(options);
    tracers.push(tracer);
    return tracer;
  }

  const carrying = (traceparent: string) => (field: string) => (field === 'traceparent' ? traceparent : undefined);

  it('costs nothing when it is off', async () => {
    const tracer = await createTracer({ endpoint: null, service: 'test', version: '1', lost: () => undefined });
    expect(tracer).toBe(NO_TRACER);
    const span = tracer.begin('request', carrying(PARENT));
    expect(span).toBe(NO_SPAN);
    expect(span.child('step')).toBe(NO_SPAN);
    span.carry(() => {
      throw new Error('nothing is carried on');
    });
  });

  it.each(['collector:4317', 'grpc://collector:4317', 'nonsense'])('refuses %s', async (endpoint) => {
    const options = { endpoint, service: 'test', version: '1', lost: () => undefined };
    await expect(createTracer(options)).rejects.toThrow('otlp_traces_endpoint must be a URL');
  });

  it('goes on with a caller’s trace, and has the next process do so', async () => {
    const tracer = await tracerTo();
    const span = tracer.begin('request', carrying(PARENT));
    const carried = new Map<string, string>();
    const step = span.child('step');
    step.carry((field, value) => carried.set(field, value));
    expect(span.traceId).toBe(TRACE);
    expect(carried.get('traceparent')).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(carried.get('traceparent')).not.toBe(PARENT);
    step.end('worker_unavailable');
    step.end('ok');
    span.end('ok');
    await tracer.close();
    expect(sent.map(({ url }) => url)).toEqual(['/v1/traces']);
    expect(sent[0]?.spans.map(({ name, traceId, status: { code } }) => [name, traceId, code ?? 0])).toEqual([
      ['step', TRACE, 2],
      ['request', TRACE, 0],
    ]);
  });

  it.each(['', 'garbage', '00-00000000000000000000000000000000-b7ad6b7169203331-01', `${PARENT}\r\nx: y`])(
    'begins a trace of its own for the traceparent %p',
    async (traceparent) => {
      const span = (await tracerTo()).begin('request', carrying(traceparent));
      expect(span.traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(span.traceId).not.toBe(TRACE);
      span.end('ok');
    },
  );

  it('keeps the path that an endpoint has', async () => {
    const tracer = await tracerTo('/otlp/traces');
    tracer.begin('request', carrying('')).end('ok');
    await tracer.close();
    expect(sent.map(({ url }) => url)).toEqual(['/otlp/traces']);
  });

  it('counts what a collector does not take, and goes on', async () => {
    status = 400;
    const tracer = await tracerTo();
    tracer.begin('request', carrying('')).end('ok');
    await tracer.close();
    expect(lost).toBe(1);
  });
});

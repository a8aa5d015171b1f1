import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';

import { describe, expect, it } from '@jest/globals';

import type { Clock } from '../supervision/clock.js';

import { isGrpcServing } from './grpc-health.js';
import { isHttpHealthy } from './http-health.js';
import { waitUntil } from './wait-until.js';

const SERVING = 1;
const NOT_SERVING = 2;

/** A server of grpc.health.v1 that answers with one status, as bytes. */
async function healthServer(status: number): Promise<{ address: string; close: () => Promise<unknown> }> {
  const server = createHttp2Server();
  server.on('stream', (stream, headers) => {
    const isCheck = headers[':path'] === '/grpc.health.v1.Health/Check' && headers[':method'] === 'POST';
    stream.respond({ ':status': isCheck ? 200 : 404, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(isCheck ? Buffer.from([0, 0, 0, 0, 2, 8, status]) : undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): Promise<unknown> => {
    server.close();
    return once(server, 'close');
  };
  return { address: `127.0.0.1:${String((server.address() as AddressInfo).port)}`, close };
}

describe('isGrpcServing', () => {
  it.each([
    [SERVING, true],
    [NOT_SERVING, false],
  ])('takes the status %d for %s', async (status, expected) => {
    const { address, close } = await healthServer(status);
    await expect(isGrpcServing(address)).resolves.toBe(expected);
    await close();
  });

  it('leaves no connection behind to a server that came up later', async () => {
    const { address, close } = await healthServer(SERVING);
    await close();
    for (let attempt = 0; attempt < 5; attempt++) await expect(isGrpcServing(address)).resolves.toBe(false);
    let connections = 0;
    const server = createTcpServer((socket) => {
      connections++;
      socket
        .on('error', () => undefined)
        .resume()
        .end('no HTTP/2');
    });
    server.listen(Number(address.split(':')[1]), '127.0.0.1');
    await once(server, 'listening');
    await expect(isGrpcServing(address)).resolves.toBe(false);
    expect(connections).toBe(1);
    server.close();
    // Comes only when the one connection has ended.
    await once(server, 'close');
  });

  it('is false where nothing listens', async () => {
    const { address, close } = await healthServer(SERVING);
    await close();
    await expect(isGrpcServing(address)).resolves.toBe(false);
  });
});

describe('isHttpHealthy', () => {
  it.each([
    [200, true],
    [503, false],
  ])('takes the status %d for %s', async (status, expected) => {
    const server = createServer((request, response) => {
      response.writeHead(request.url === '/health' ? status : 404).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await expect(isHttpHealthy(`http://127.0.0.1:${String(port)}`)).resolves.toBe(expected);
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    await expect(isHttpHealthy(`http://127.0.0.1:${String(port)}`)).resolves.toBe(false);
  });
});

describe('waitUntil', () => {
  const clock = (): Clock & { delays: number[] } => {
    const delays: number[] = [];
    return {
      delays,
      now: () => 0,
      delay: (milliseconds, signal) => {
        delays.push(milliseconds);
        return signal?.aborted === true ? Promise.reject(signal.reason as Error) : Promise.resolve();
      },
    };
  };

  it('asks again until the answer is true; a failed question counts as no', async () => {
    const answers = [() => false, () => Promise.reject(new Error('no')), () => true];
    const time = clock();
    await waitUntil(async () => (answers.shift() ?? (() => false))(), time, new AbortController().signal);
    expect(answers).toEqual([]);
    expect(time.delays).toEqual([100, 100]);
  });

  it('ends with the reason of the signal', async () => {
    const reason = new Error('stopped');
    await expect(waitUntil(() => Promise.resolve(false), clock(), AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

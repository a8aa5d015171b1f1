import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Server, ServerCredentials } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';

import type { Clock } from '../supervision/clock.js';

import { isGrpcServing } from './grpc-health.js';
import { isHttpHealthy } from './http-health.js';
import { waitUntil } from './wait-until.js';

const SERVING = 1;
const NOT_SERVING = 2;

/** A server of grpc.health.v1 that answers with one status, as bytes. */
async function healthServer(status: number): Promise<{ address: string; close: () => void }> {
  const server = new Server();
  const bytes = (value: Buffer): Buffer => value;
  server.addService(
    {
      check: {
        path: '/grpc.health.v1.Health/Check',
        requestStream: false,
        responseStream: false,
        requestSerialize: bytes,
        requestDeserialize: bytes,
        responseSerialize: bytes,
        responseDeserialize: bytes,
      },
    },
    { check: (_call: unknown, answer: (error: null, value: Buffer) => void) => answer(null, Buffer.from([8, status])) },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return { address: `127.0.0.1:${String(port)}`, close: () => server.forceShutdown() };
}

describe('isGrpcServing', () => {
  it.each([
    [SERVING, true],
    [NOT_SERVING, false],
  ])('takes the status %d for %s', async (status, expected) => {
    const { address, close } = await healthServer(status);
    await expect(isGrpcServing(address)).resolves.toBe(expected);
    close();
  });

  it('is false where nothing listens', async () => {
    const { address, close } = await healthServer(SERVING);
    close();
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

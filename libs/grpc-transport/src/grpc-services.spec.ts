import { credentials, Metadata, type Server } from '@grpc/grpc-js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CanActivate, type INestMicroservice, Injectable, Module, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { CustomStrategy } from '@nestjs/microservices';
import {
  KvTransferServiceClient,
  KvTransferServiceService,
  type PullResponse,
  type ReleaseRequest,
  type ReleaseResponse,
  RoostError,
  WORKER_PACKAGE,
  workerPackageDefinition,
} from '@roost/protocol';
import { eventually, freePort } from '@roost/testing';

import { callStream, callUnary } from './calls.js';
import { GrpcServer } from './grpc-server.js';
import { type CallContext, GrpcService } from './grpc-service.js';
import { GrpcServices } from './grpc-services.js';
import { GrpcTransportModule } from './grpc-transport.module.js';

// Owns: guards before raw handlers, errors across the wire, cancellation of both kinds of call and of thousands,
// backpressure.

const seen = { cancelled: 0, produced: 0, returned: 0, guarded: 0 };

@Injectable()
class CountingGuard implements CanActivate {
  canActivate(): boolean {
    seen.guarded += 1;
    return true;
  }
}

const chunk = (): PullResponse => ({ header: undefined, trailer: undefined, chunk: Buffer.alloc(64 * 1024) });

@Injectable()
@GrpcService(KvTransferServiceService)
@UseGuards(CountingGuard)
class Transfers {
  async *pull(): AsyncGenerator<PullResponse> {
    try {
      for (;;) {
        seen.produced += 1;
        yield chunk();
        await Promise.resolve();
      }
    } finally {
      seen.returned += 1;
    }
  }

  release(request: ReleaseRequest, _metadata: Metadata, { signal }: CallContext): Promise<ReleaseResponse> {
    if (request.ctxRequestId === 1n) throw new RoostError('kv_cache_gone', 'gone', { param: 'naïve' });
    if (request.ctxRequestId === 2n) throw new Error('secret text');
    if (request.ctxRequestId === 3n) {
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          seen.cancelled += 1;
          reject(signal.reason as Error);
        });
      });
    }
    if (request.ctxRequestId === 4n) throw new RoostError('invalid_request', 'm'.repeat(10_000_000));
    if (request.ctxRequestId === 5n) throw new RoostError('invalid_request', 'half \ud800', { param: 'half \udc00' });
    return Promise.resolve({ released: true });
  }
}

@Module({ imports: [GrpcTransportModule], providers: [Transfers, CountingGuard] })
class TestModule {}

describe('a GrpcService provider', () => {
  let app: INestMicroservice;
  let client: KvTransferServiceClient;
  const request = { encodedOpaqueState: '', ctxInfoEndpoint: '', skipTokens: 0, awaited: false };
  const release = (id: bigint, signal = new AbortController().signal): Promise<ReleaseResponse> =>
    callUnary(client.release.bind(client), { ...request, ctxRequestId: id }, new Metadata(), {
      signal,
      deadline: Date.now() + 5_000,
    });

  beforeAll(async () => {
    const url = `127.0.0.1:${String(await freePort())}`;
    app = await NestFactory.createMicroservice<CustomStrategy>(TestModule, {
      strategy: new GrpcServer({
        url,
        package: WORKER_PACKAGE,
        packageDefinition: workerPackageDefinition,
        onLoadPackageDefinition: (_: unknown, server: Server) =>
          app.get(GrpcServices, { strict: false }).attachTo(server),
      }),
      logger: false,
    });
    await app.listen();
    client = new KvTransferServiceClient(url, credentials.createInsecure());
  });

  afterAll(async () => {
    client.close();
    await app.close();
  });

  beforeEach(() => {
    Object.assign(seen, { cancelled: 0, produced: 0, returned: 0, guarded: 0 });
  });

  it('runs its guards before the handler', async () => {
    expect(await release(9n)).toEqual({ released: true });
    expect(seen.guarded).toBe(1);
  });

  it('keeps code, text and field of an error of the table', async () => {
    await expect(release(1n)).rejects.toMatchObject({ code: 'kv_cache_gone', message: 'gone', param: 'naïve' });
  });

  it('tells nothing of an unexpected error', async () => {
    await expect(release(2n)).rejects.toMatchObject({ code: 'internal', message: 'internal error' });
  });

  it('cuts a message that is too long to travel, and serves on over the same connection', async () => {
    const refusal = await release(4n).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(/^m{2048}\.\.\.$/) });
    expect(await release(9n)).toEqual({ released: true });
  });

  it('survives a message and a field that have no encoding', async () => {
    await expect(release(5n)).rejects.toMatchObject({ message: 'half \ufffd', param: 'half \ufffd' });
    expect(await release(9n)).toEqual({ released: true });
  });

  it('tells a unary handler that its caller has gone', async () => {
    const gone = new AbortController();
    const answer = release(3n, gone.signal);
    await eventually(() => seen.guarded === 1);
    gone.abort(new Error('bye'));
    await expect(answer).rejects.toThrow('bye');
    await eventually(() => seen.cancelled === 1);
  });

  it('serves on over a connection on which thousands of calls have been cancelled', async () => {
    const leave = new AbortController();
    const staying = release(3n, leave.signal).catch((error: unknown) => error);
    for (let round = 1; round <= 30; round += 1) {
      const gone = new AbortController();
      const calls = Array.from({ length: 100 }, () => release(3n, gone.signal));
      await eventually(() => seen.guarded === 1 + round * 100);
      gone.abort(new Error('bye'));
      await Promise.allSettled(calls);
    }
    leave.abort(new Error('left by itself'));
    expect(await staying).toMatchObject({ message: 'left by itself' });
  }, 30_000);

  it('does not produce more of a stream than its reader and the buffers between them take', async () => {
    const bounds = { signal: new AbortController().signal, deadline: Date.now() + 20_000 };
    const stream = callStream(client.pull.bind(client), { ...request, ctxRequestId: 0n }, new Metadata(), bounds);
    await stream.next();
    let last = -1;
    await eventually(() => {
      const still = seen.produced === last;
      last = seen.produced;
      return still;
    });
    expect(seen.produced).toBeLessThan(200);
    const before = seen.produced;
    for (let i = 0; i < 400; i += 1) await stream.next();
    expect(seen.produced).toBeGreaterThan(before);
    await stream.return();
    await eventually(() => seen.returned === 1);
  });

  it('fails a call to a port that nobody listens on as worker_unavailable', async () => {
    const lost = new KvTransferServiceClient(`127.0.0.1:${String(await freePort())}`, credentials.createInsecure());
    const bounds = { signal: new AbortController().signal, deadline: Date.now() + 5_000 };
    await expect(
      callUnary(lost.release.bind(lost), { ...request, ctxRequestId: 9n }, new Metadata(), bounds),
    ).rejects.toMatchObject({ code: 'worker_unavailable' });
    lost.close();
  });
});

import { credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { statusOf } from '@roost/grpc-transport';
import { NO_SPAN } from '@roost/observability';
import { KvTransferServiceClient, KvTransferServiceService, RoostError } from '@roost/protocol';
import { freePort } from '@roost/testing';

import { type HandoffTicket, KvPuller } from './kv-puller.js';

// Owns: which channel a cache is fetched over, and that its arrival is told.

describe('KvPuller', () => {
  let server: Server;
  let puller: KvPuller;
  let endpoint: string;
  let opened = 0;
  let asked = 0;
  let released = 0;
  let lostReleases = 0;
  let failure: RoostError;

  const ticket = (): HandoffTicket => ({
    endpoint,
    ctxRequestId: 1n,
    encodedOpaqueState: 'state',
    auth: null,
    awaited: false,
    span: NO_SPAN,
  });
  const pull = (): Promise<unknown> =>
    puller.pull(ticket(), 0, new AbortController().signal).catch((error: unknown) => error);

  beforeEach(async () => {
    endpoint = `127.0.0.1:${String(await freePort())}`;
    opened = 0;
    asked = 0;
    released = 0;
    lostReleases = 0;
    puller = new KvPuller(
      5_000,
      () => undefined,
      (address) => {
        opened += 1;
        return new KvTransferServiceClient(address, credentials.createInsecure());
      },
    );
    server = new Server();
  });

  afterEach(() => {
    puller.close();
    server.forceShutdown();
  });

  async function serve(error: RoostError): Promise<void> {
    failure = error;
    server.addService(KvTransferServiceService, {
      pull: (call: { emit(event: 'error', status: object): void }) => {
        asked += 1;
        call.emit('error', statusOf(failure));
      },
      release: (_: unknown, answer: (failure: object | null, value?: object) => void) => {
        released += 1;
        if (released > lostReleases) answer(null, { released: true });
        else answer(statusOf(new RoostError('worker_unavailable', 'lost')));
      },
    });
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(endpoint, ServerCredentials.createInsecure(), (failure) =>
        failure ? reject(failure) : resolve(),
      );
    });
  }

  it('asks over a channel of its own, once, whoever has no such cache: the name may stand for another by now', async () => {
    await serve(new RoostError('kv_transfer_failed', 'broken on the way'));
    await pull();
    expect([opened, asked]).toEqual([1, 1]);
    failure = new RoostError('kv_cache_gone', 'no such cache');
    expect(await pull()).toMatchObject({ code: 'kv_cache_gone' });
    expect([opened, asked]).toEqual([2, 3]);
  });

  it('believes a peer at once that it has only just looked up', async () => {
    await serve(new RoostError('kv_cache_gone', 'no such cache'));
    expect(await pull()).toMatchObject({ code: 'kv_cache_gone' });
    expect([opened, asked]).toEqual([1, 1]);
    expect(await pull()).toMatchObject({ code: 'kv_cache_gone' });
    expect([opened, asked]).toEqual([2, 2]);
  });

  it('says again that a cache has arrived, where that may not have been heard', async () => {
    await serve(new RoostError('kv_cache_gone', 'no such cache'));
    lostReleases = 1;
    await puller.confirm(ticket());
    expect(released).toBe(2);
  });

  it('keeps its channel through other failures', async () => {
    await serve(new RoostError('kv_transfer_failed', 'broken on the way'));
    expect(await pull()).toMatchObject({ code: 'kv_transfer_failed' });
    expect(await pull()).toMatchObject({ code: 'kv_transfer_failed' });
    expect(opened).toBe(1);
  });
});

import { credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { statusOf } from '@roost/grpc-transport';
import { NO_SPAN } from '@roost/observability';
import { KvTransferServiceClient, KvTransferServiceService, RoostError } from '@roost/protocol';
import { freePort } from '@roost/testing';

import { KvPuller } from './kv-puller.js';

// Owns: which channel a cache is fetched over.

describe('KvPuller', () => {
  let server: Server;
  let puller: KvPuller;
  let endpoint: string;
  let opened = 0;
  let asked = 0;
  let failure: RoostError;

  const pull = async (): Promise<unknown> => {
    const ticket = {
      endpoint,
      ctxRequestId: 1n,
      encodedOpaqueState: 'state',
      auth: null,
      awaited: false,
      span: NO_SPAN,
    };
    return await puller.pull(ticket, 0, new AbortController().signal).catch((error: unknown) => error);
  };

  beforeEach(async () => {
    endpoint = `127.0.0.1:${String(await freePort())}`;
    opened = 0;
    asked = 0;
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
      release: (_: unknown, answer: (failure: null, value: object) => void) => answer(null, { released: true }),
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

  it('keeps its channel through other failures', async () => {
    await serve(new RoostError('kv_transfer_failed', 'broken on the way'));
    expect(await pull()).toMatchObject({ code: 'kv_transfer_failed' });
    expect(await pull()).toMatchObject({ code: 'kv_transfer_failed' });
    expect(opened).toBe(1);
  });
});

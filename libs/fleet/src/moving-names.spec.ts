import { type AddressInfo, createServer, type Socket } from 'node:net';

import { experimental, Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  GetInfoResponse,
  LegServiceService,
  PREFILL,
  PrefillRequest,
  PrefillResponse,
  WORKER_INCARNATION,
  WorkerServiceService,
} from '@roost/protocol';
import { eventually } from '@roost/testing';
import { HealthImplementation } from 'grpc-health-check';

import { Fleet } from './fleet.js';
import { Instance } from './instance.js';

// Owns: that a name is followed to the worker that it stands for now, and that no two names stand for one worker.

/** Where names lead to, as a name service would say it. */
const ports = new Map<string, number>();

class NameService implements experimental.Resolver {
  private gone = false;

  constructor(
    private readonly target: { readonly path: string },
    private readonly listener: experimental.ResolverListener,
  ) {}

  updateResolution(): void {
    this.gone = false;
    setImmediate(() => {
      const port = ports.get(this.target.path);
      if (this.gone || port === undefined) return;
      const value = [{ addresses: [{ host: '127.0.0.1', port }] }];
      this.listener({ ok: true, value }, {}, null, '');
    });
  }

  destroy(): void {
    this.gone = true;
  }

  static getDefaultAuthority(target: { readonly path: string }): string {
    return target.path;
  }
}

/** A worker that says of itself that it is `incarnation`, and notes whom calls of legs were meant for. */
class NamedWorker {
  readonly addressees: unknown[] = [];
  private readonly server = new Server();

  constructor(readonly incarnation: string) {}

  async start(): Promise<number> {
    new HealthImplementation({ '': 'SERVING' }).addToServer(this.server);
    this.server.addService(WorkerServiceService, {
      getInfo: (_: unknown, answer: (error: null, info: GetInfoResponse) => void) =>
        answer(null, GetInfoResponse.fromPartial({ incarnation: this.incarnation })),
    });
    this.server.addService(LegServiceService, {
      prefill: ({ metadata }: { metadata: Metadata }, answer: (error: null, value: PrefillResponse) => void) => {
        this.addressees.push(metadata.get(WORKER_INCARNATION)[0]);
        answer(null, PrefillResponse.fromPartial({}));
      },
      generate: () => undefined,
    });
    return await new Promise((resolve, reject) => {
      const bound = (error: Error | null, port: number): void => (error ? reject(error) : resolve(port));
      this.server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), bound);
    });
  }

  stop(): void {
    this.server.forceShutdown();
  }
}

describe('a worker behind a name', () => {
  const [first, second] = ['moving:first', 'moving:second'] as const;
  let ended: (() => void)[] = [];
  let workers: readonly [NamedWorker, NamedWorker];
  let portOf: readonly [number, number];

  beforeAll(() => {
    experimental.registerResolver('moving', NameService);
  });

  beforeEach(async () => {
    workers = [new NamedWorker('A'), new NamedWorker('B')];
    portOf = [await workers[0].start(), await workers[1].start()];
    ended = workers.map((worker) => () => worker.stop());
  });

  afterEach(() => {
    for (const end of ended.reverse()) end();
  });

  function instanceAt(server: string): Instance {
    const instance = new Instance(server);
    ended.push(() => instance.close());
    return instance;
  }

  async function prefillOn(instance: Instance): Promise<void> {
    const metadata = new Metadata();
    instance.address(metadata);
    const bounds = { signal: new AbortController().signal, deadline: Date.now() + 5_000 };
    await instance.legs.unary(PREFILL, PrefillRequest.fromPartial({}), metadata, bounds);
  }

  it('is asked for legs where it was asked for its health', async () => {
    ports.set('first', portOf[0]);
    const instance = instanceAt(first);
    await instance.probe(5_000);
    await prefillOn(instance);
    workers[0].stop();
    ports.set('first', portOf[1]);
    await eventually(async () => {
      await instance.probe(5_000);
      return instance.serving && instance.info?.incarnation === 'B';
    });
    await prefillOn(instance);
    expect([workers[0].addressees, workers[1].addressees]).toEqual([['A'], ['B']]);
  });

  it('is found although its name has led to an address that takes connections and never answers', async () => {
    const silent = await silentServer();
    ended.push(silent.end);
    ports.set('first', silent.port);
    const instance = instanceAt(first);
    await instance.probe(100);
    await instance.probe(100);
    ports.set('first', portOf[0]);
    await instance.probe(5_000);
    expect([instance.serving, instance.info?.incarnation]).toEqual([true, 'A']);
  });

  it('is looked for where its name leads to, once it has failed a leg', async () => {
    ports.set('first', portOf[0]);
    const instance = instanceAt(first);
    await instance.probe(5_000);
    ports.set('first', portOf[1]);
    await instance.probe(5_000);
    expect(instance.info?.incarnation).toBe('A');
    instance.suspect();
    await instance.probe(5_000);
    expect([instance.serving, instance.info?.incarnation]).toEqual([true, 'B']);
  });

  it('serves under one name at a time, until the other leads elsewhere', async () => {
    ports.set('first', portOf[0]);
    ports.set('second', portOf[0]);
    const fleet = new Fleet('context', [first, second], { pollIntervalMs: 20, probeTimeoutMs: 5_000 });
    ended.push(() => fleet.stop());
    await fleet.start();
    const serving = (): Instance[] => fleet.instances.filter((instance) => instance.serving);
    const [refused] = fleet.instances.filter((instance) => !instance.serving);
    expect(serving()).toHaveLength(1);
    expect(refused?.mismatch).toBe(`it is the same worker as ${String(serving()[0]?.server)}`);
    ports.set('second', portOf[1]);
    await eventually(() => serving().length === 2);
    expect(fleet.instances.map(({ info }) => info?.incarnation)).toEqual(['A', 'B']);
  });
});

/** Takes connections, and says nothing. */
async function silentServer(): Promise<{ port: number; end: () => void }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.resume().on('error', () => undefined)));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const end = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port, end };
}

import { Server, ServerCredentials, type ServerWritableStream, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PrefixIndex } from '@roost/prefix-index';
import {
  type FollowRequest,
  type FollowResponse,
  KvEventServiceService,
  GetInfoResponse,
  WorkerServiceService,
} from '@roost/protocol';
import { eventually, freePort } from '@roost/testing';
import { HealthImplementation } from 'grpc-health-check';

import { Instance } from './instance.js';
import { KvFollower } from './kv-follower.js';

// Owns: that an edge's index says nothing of an instance that it has not been told in the latest unbroken stream.

type EventStream = ServerWritableStream<FollowRequest, FollowResponse>;

/** A worker whose event streams are written by hand. */
class ScriptedWorker {
  readonly streams: EventStream[] = [];
  private readonly server = new Server();
  private readonly health = new HealthImplementation({ '': 'SERVING' });

  async start(address: string): Promise<void> {
    this.health.addToServer(this.server);
    this.server.addService(WorkerServiceService, {
      getInfo: (_: unknown, answer: (error: null, info: GetInfoResponse) => void) =>
        answer(null, GetInfoResponse.fromPartial({})),
    });
    this.server.addService(KvEventServiceService, { follow: (stream: EventStream) => void this.streams.push(stream) });
    await new Promise<void>((resolve, reject) => {
      this.server.bindAsync(address, ServerCredentials.createInsecure(), (error) =>
        error ? reject(error) : resolve(),
      );
    });
  }

  stop(): void {
    this.server.forceShutdown();
  }
}

const hashes = (...values: number[]): bigint[] => values.map(BigInt);

describe('KvFollower', () => {
  const worker = { current: new ScriptedWorker() };
  let index: PrefixIndex;
  let instance: Instance;
  let follower: KvFollower;

  const depth = (...prompt: number[]): number => index.match(hashes(...prompt)).perServer.get(instance.server) ?? 0;
  const stream = (number: number): Promise<EventStream> => eventually(() => worker.current.streams[number]);
  const message = (sequence: number, over: Partial<FollowResponse>): FollowResponse => ({
    incarnation: 'first life',
    rank: 0,
    sequence: BigInt(sequence),
    snapshot: false,
    stored: [],
    removed: [],
    ...over,
  });
  const snapshot = (...stored: number[]): FollowResponse => message(1, { snapshot: true, stored: hashes(...stored) });

  beforeEach(async () => {
    const address = `127.0.0.1:${String(await freePort())}`;
    worker.current = new ScriptedWorker();
    await worker.current.start(address);
    index = new PrefixIndex({ maxBytes: 1 << 20 });
    instance = new Instance(address);
    await instance.probe(5_000);
    follower = new KvFollower(instance, index);
    void follower.run();
  });

  afterEach(() => {
    follower.stop();
    instance.close();
    worker.current.stop();
  });

  it('follows changes from a snapshot on', async () => {
    const first = await stream(0);
    first.write(snapshot(1, 2));
    first.write(message(2, { stored: hashes(3) }));
    await eventually(() => depth(1, 2, 3) === 3);
    first.write(message(3, { removed: hashes(2) }));
    await eventually(() => depth(1, 2, 3) === 1);
    expect(worker.current.streams).toHaveLength(1);
  });

  it('asks for a new snapshot when a message is missing, and believes only that', async () => {
    const first = await stream(0);
    first.write(snapshot(1, 2));
    await eventually(() => depth(1, 2) === 2);
    first.write(message(3, { stored: hashes(3) }));
    const second = await stream(1);
    expect(depth(1, 2, 3)).toBe(0);
    second.write(snapshot(1));
    await eventually(() => depth(1, 2, 3) === 1);
  });

  it('forgets the instance when the stream breaks', async () => {
    const first = await stream(0);
    first.write(snapshot(1));
    await eventually(() => depth(1) === 1);
    first.emit('error', { code: status.UNAVAILABLE, details: 'gone' });
    await eventually(() => depth(1) === 0);
    (await stream(1)).write(snapshot(1, 2));
    await eventually(() => depth(1, 2) === 2);
    expect(worker.current.streams).toHaveLength(2);
  });

  it('takes a worker that has restarted for a new one', async () => {
    const first = await stream(0);
    first.write(snapshot(1, 2));
    await eventually(() => depth(1, 2) === 2);
    first.write({ ...snapshot(1), incarnation: 'second life' });
    (await stream(1)).write({ ...snapshot(1), incarnation: 'second life' });
    await eventually(() => depth(1, 2) === 1);
    expect(worker.current.streams).toHaveLength(2);
  });
});

import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GetInfoResponse, WorkerServiceService } from '@roost/protocol';
import { freePort } from '@roost/testing';
import { service as healthService } from 'grpc-health-check';

import { Instance } from './instance.js';

// Owns: when an instance is taken out of service, and when it comes back.

type Answer = (error: { code: status } | null, value?: object) => void;

describe('Instance', () => {
  const behaviour = { asked: 0, health: (answer: Answer): void => answer(null, { status: 'SERVING' }) };
  let server: Server;
  let instance: Instance;

  const serving = (answer: Answer): void => answer(null, { status: 'SERVING' });
  const probe = async (): Promise<boolean> => {
    await instance.probe(100);
    return instance.serving;
  };

  beforeEach(async () => {
    behaviour.health = serving;
    server = new Server();
    server.addService(WorkerServiceService, {
      getInfo: (_: unknown, answer: Answer) => {
        behaviour.asked += 1;
        answer(null, GetInfoResponse.fromPartial({ model: 'm' }));
      },
    });
    server.addService(healthService, {
      Check: (_: unknown, answer: Answer) => behaviour.health(answer),
    });
    const address = `127.0.0.1:${String(await freePort())}`;
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(address, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()));
    });
    instance = new Instance(address, ({ model }) => (model === 'm' ? null : `it serves ${model}`));
    await instance.probe(5_000);
  });

  afterEach(() => {
    instance.close();
    server.forceShutdown();
  });

  it('serves once it says so, and is known by then', () => {
    expect([instance.serving, instance.info?.model]).toEqual([true, 'm']);
  });

  it('may be late once, but not twice in a row', async () => {
    behaviour.health = () => undefined;
    expect(await probe()).toBe(true);
    expect(await probe()).toBe(false);
    behaviour.health = serving;
    expect(await probe()).toBe(true);
    behaviour.health = () => undefined;
    expect(await probe()).toBe(true);
  });

  it.each<[string, (answer: Answer) => void]>([
    ['says that it does not serve', (answer) => answer(null, { status: 'NOT_SERVING' })],
    ['refuses to say', (answer) => answer({ code: status.UNAVAILABLE })],
  ])('is out of service as soon as it %s', async (_, health) => {
    behaviour.health = health;
    expect(await probe()).toBe(false);
  });

  it('is asked once what it holds by all who want to know at a time', async () => {
    behaviour.asked = 0;
    const answers = await Promise.all(Array.from({ length: 100 }, () => instance.refreshInfo(5_000)));
    expect(answers.every(({ model }) => model === 'm')).toBe(true);
    expect(behaviour.asked).toBe(1);
    await instance.refreshInfo(5_000);
    expect(behaviour.asked).toBe(2);
  });

  it('is out of service as soon as a leg has found it gone, until it is asked again', async () => {
    instance.suspect();
    expect(instance.serving).toBe(false);
    expect(await probe()).toBe(true);
  });
});

import net from 'node:net';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type DisaggregatedParams, RoostError } from '@roost/protocol';
import { eventually } from '@roost/testing';

import { Cluster } from './harness/cluster.js';
import { FakeWorker, generated } from './harness/fake-worker.js';
import { bodyFor, chat } from './harness/http-client.js';
import { promptOn } from './harness/private-text.js';

// Owns: an answer of a context worker that does not reach the edge - the client has gone, the worker is lost - leaves no KV
// cache behind, though nobody has learned of it.

const LONG_ANSWER = { max_tokens: 5_000, ignore_eos: true, stream: true };

describe('the cache of a context leg', () => {
  let contexts: FakeWorker[];
  let generation: FakeWorker;
  let cluster: Cluster;

  beforeAll(async () => {
    contexts = await Promise.all([FakeWorker.start('CONTEXT'), FakeWorker.start('CONTEXT')]);
    generation = await FakeWorker.start('GENERATION');
    const servers = { context: contexts.map(({ address }) => address), generation: [generation.address] };
    cluster = await Cluster.start({ servers });
  }, 60_000);

  afterAll(async () => {
    await cluster.stop().finally(() => {
      for (const worker of [...contexts, generation]) worker.stop();
    });
  }, 30_000);

  beforeEach(() => {
    for (const worker of [...contexts, generation]) worker.reset();
  });

  const attempts = (): (DisaggregatedParams | undefined)[] =>
    contexts.flatMap(({ prefills }) => prefills.map(({ message }) => message.disaggregatedParams));
  const releases = (): object[] => contexts.flatMap((worker) => worker.releases);

  it('is freed when the worker is lost, as it may be held all the same', async () => {
    const loseOnce = (): never => {
      for (const worker of contexts) worker.script = {};
      throw new RoostError('worker_unavailable', 'lost');
    };
    for (const worker of contexts) worker.script = { prefill: loseOnce };
    expect((await chat(cluster.url, promptOn('lost'))).status).toBe(200);
    const used = generation.generates[0]?.message.disaggregatedParams?.ctxRequestId;
    const failed = attempts().find((params) => params?.disaggRequestId !== used);
    await eventually(() => releases().length > 0);
    expect(releases()).toMatchObject([
      { ctxRequestId: failed?.disaggRequestId, encodedOpaqueState: failed?.encodedOpaqueState },
    ]);
  });

  it('is freed when the generation worker fails that had begun, as it may not have said that it took it over', async () => {
    generation.script = {
      *generate(request, before) {
        for (const [at, answer] of generated(request).entries()) {
          if (before === 0 && at > 0) throw new RoostError('internal', 'failed');
          yield answer;
        }
      },
    };
    expect((await chat(cluster.url, promptOn('begun'))).status).toBe(200);
    expect(attempts()).toHaveLength(2);
    const [first] = generation.generates;
    await eventually(() => releases().length > 0);
    expect(releases()).toMatchObject([{ ctxRequestId: first?.message.disaggregatedParams?.ctxRequestId }]);
  });

  it('is freed when the client has gone', async () => {
    const gone = new AbortController();
    for (const worker of contexts) worker.script = { prefill: () => new Promise(() => undefined) };
    const answer = chat(cluster.url, promptOn('gone'), {}, { signal: gone.signal });
    await eventually(() => attempts().length === 1);
    gone.abort();
    await expect(answer).rejects.toThrow();
    await eventually(() => releases().length === 1);
    expect(releases()).toMatchObject(attempts().map((params) => ({ ctxRequestId: params?.disaggRequestId })));
  });
});

/** Sends a request, and resets its connection so many milliseconds later. */
function requestAndReset(url: string, body: string, atMs: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${String(Buffer.byteLength(body))}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname, () => {
      socket.write(head + body, () => setTimeout(() => socket.resetAndDestroy(), atMs));
    });
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });
}

describe('clients that reset their connections', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start({ ranks: 2 });
  }, 60_000);

  afterAll(() => cluster.stop(), 30_000);

  it('leave nothing behind, at whatever moment', async () => {
    const body = JSON.stringify(bodyFor('chat/completions', promptOn('reset'), LONG_ANSWER));
    const leave = (atMs: number): Promise<void> => requestAndReset(cluster.url, body, atMs);
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(Array.from({ length: 40 }, (_, client) => leave(client % 4 === 0 ? 0 : client * 3)));
    }
    // A connection that is reset is taken and looked at all the same; this one comes after them.
    expect((await chat(cluster.url, promptOn('after'), { max_tokens: 3 })).status).toBe(200);
    await cluster.settled();
  }, 60_000);
});

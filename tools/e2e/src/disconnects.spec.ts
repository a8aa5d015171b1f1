import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@roost/testing';

import { type ClusterInfo, type Counters, countersOf } from './harness/cluster-info.js';
import { Cluster } from './harness/cluster.js';
import { ask, bodyFor, chat, type Endpoint } from './harness/http-client.js';
import { promptOn } from './harness/private-text.js';

// Owns: a client that goes away, in whatever phase, ends its request on both sides: memory and load return to what they
// were long before the request would have ended by itself, and the next request is served (field reports 1.10, 2.9, 9.e).

const ENDPOINTS: readonly Endpoint[] = ['chat/completions', 'completions'];
const VARIANTS = ENDPOINTS.flatMap((endpoint) => [false, true].map((stream) => ({ endpoint, stream })));

/** By itself each of these takes minutes. */
const LONG_ANSWER = { max_tokens: 5_000, ignore_eos: true };
const LONG_PROMPT_WORDS = 4_000;
const SHORT = { max_tokens: 3 };

/** A request of a client that goes away when it is told to. */
class LeavingClient {
  private readonly gone = new AbortController();
  private readonly end: Promise<unknown>;

  constructor(url: string, endpoint: Endpoint, topic: string, fields: object, words = 3) {
    const body = bodyFor(endpoint, promptOn(topic, words), fields);
    this.end = ask(url, endpoint, body, { signal: this.gone.signal }).then(
      ({ raw }) => {
        throw new Error(`the request ended by itself: ${raw}`);
      },
      (error: unknown) => error,
    );
  }

  /** @throws Error when the request has been answered */
  async leave(): Promise<void> {
    this.gone.abort();
    await this.end;
  }
}

let topics = 0;
const newTopic = (): string => `leave${String((topics += 1))}x`;

/** Waits until the cluster holds exactly this. */
async function untilHeld(cluster: Cluster, holds: (counters: Counters, info: ClusterInfo) => boolean): Promise<void> {
  let last: ClusterInfo | undefined;
  const reached = eventually(async () => {
    last = await cluster.clusterInfo();
    return holds(countersOf(last), last);
  });
  await reached.catch((cause: unknown) => {
    throw new Error(`the phase was not reached: ${JSON.stringify(last)}`, { cause });
  });
}

const activeIn = (instances: ClusterInfo['context_servers']): number =>
  instances.flatMap(({ ranks = [] }) => ranks).reduce((sum, rank) => sum + rank.num_active_requests, 0);
const prefilling = (info: ClusterInfo): number => activeIn(info.context_servers);
const generating = (info: ClusterInfo): number => activeIn(info.generation_servers);

/** Waits, for a fraction of what the requests would take, until nothing is held; gives the status of another request then. */
async function statusAfterwards(cluster: Cluster): Promise<number> {
  await cluster.settled();
  const next = await chat(cluster.url, promptOn(newTopic(), 3), SHORT);
  return next.status;
}

describe('while computing is slow, a client that goes away', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start({
      edge: { edge: { max_concurrent_requests: 2, max_queued_requests: 2, request_timeout_s: 600 } },
      context: {
        max_batch_size: 1,
        max_num_tokens: 16,
        engine: { simulated: { prefill_tokens_per_second: 200, speed_up: 1 } },
      },
      generation: { engine: { simulated: { decode_step_ms: 50, speed_up: 1 } } },
    });
  }, 60_000);

  afterAll(() => cluster.stop(), 30_000);

  it.each(VARIANTS)('queued at the edge: $endpoint, stream $stream', async ({ endpoint, stream }) => {
    const fields = { ...LONG_ANSWER, stream };
    const running = [0, 1].map(() => new LeavingClient(cluster.url, endpoint, newTopic(), fields));
    await untilHeld(cluster, ({ inFlight }, info) => inFlight === 2 && generating(info) === 2);
    const queued = new LeavingClient(cluster.url, endpoint, newTopic(), fields);
    await untilHeld(cluster, ({ queuedAtEdge }) => queuedAtEdge === 1);
    await queued.leave();
    await untilHeld(cluster, ({ queuedAtEdge, inFlight }, info) => {
      return queuedAtEdge === 0 && inFlight === 2 && generating(info) === 2;
    });
    await Promise.all(running.map((client) => client.leave()));
    expect(await statusAfterwards(cluster)).toBe(200);
  });

  it.each(VARIANTS)('queued at the worker: $endpoint, stream $stream', async ({ endpoint, stream }) => {
    const running = new LeavingClient(cluster.url, endpoint, newTopic(), { stream }, LONG_PROMPT_WORDS);
    await untilHeld(cluster, (_, info) => prefilling(info) === 1);
    const queued = new LeavingClient(cluster.url, endpoint, newTopic(), { stream });
    await untilHeld(cluster, ({ queuedAtWorkers }) => queuedAtWorkers === 1);
    await queued.leave();
    await untilHeld(cluster, ({ queuedAtWorkers, inFlight }, info) => {
      return queuedAtWorkers === 0 && inFlight === 1 && prefilling(info) === 1;
    });
    await running.leave();
    expect(await statusAfterwards(cluster)).toBe(200);
  });

  it.each(VARIANTS)('prefilling: $endpoint, stream $stream', async ({ endpoint, stream }) => {
    const client = new LeavingClient(cluster.url, endpoint, newTopic(), { stream }, LONG_PROMPT_WORDS);
    await untilHeld(
      cluster,
      ({ loads, pinnedBlocks }, info) => prefilling(info) === 1 && loads > 0 && pinnedBlocks > 0,
    );
    await client.leave();
    expect(await statusAfterwards(cluster)).toBe(200);
  });

  it.each(VARIANTS)('decoding: $endpoint, stream $stream', async ({ endpoint, stream }) => {
    const client = new LeavingClient(cluster.url, endpoint, newTopic(), { ...LONG_ANSWER, stream });
    await untilHeld(cluster, ({ heldHandoffs, pinnedBlocks }, info) => {
      return generating(info) === 1 && heldHandoffs === 0 && pinnedBlocks > 0;
    });
    await client.leave();
    expect(await statusAfterwards(cluster)).toBe(200);
  });
});

describe('while KV caches travel slowly, a client that goes away', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start({
      edge: { edge: { request_timeout_s: 600 } },
      worker: {
        cache_transceiver_config: { kv_transfer_timeout_ms: 600_000 },
        // One chunk of at most 256 KiB takes half a second, the long prompt's cache takes minutes.
        engine: {
          simulated: {
            kv_bytes_per_token: 16_384,
            kv_bandwidth_bytes_per_second: 500_000,
            prefill_tokens_per_second: 1e6,
            speed_up: 1,
          },
        },
      },
    });
  }, 60_000);

  afterAll(() => cluster.stop(), 30_000);

  it.each(VARIANTS)('transferring: $endpoint, stream $stream', async ({ endpoint, stream }) => {
    const client = new LeavingClient(cluster.url, endpoint, newTopic(), { stream }, LONG_PROMPT_WORDS);
    await untilHeld(cluster, ({ heldHandoffs }, info) => heldHandoffs === 1 && generating(info) === 1);
    await client.leave();
    expect(await statusAfterwards(cluster)).toBe(200);
  });
});

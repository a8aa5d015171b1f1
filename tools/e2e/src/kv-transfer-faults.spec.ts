import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@roost/testing';

import type { LogLine } from './harness/app-process.js';
import { Cluster } from './harness/cluster.js';
import { type Answer, chat } from './harness/http-client.js';
import { promptOn } from './harness/private-text.js';

// Owns: whatever happens to a KV cache between the legs - it expires, its worker dies or hangs in mid-transfer - is
// mended by computing it again, and the client sees nothing of it (field reports 4, 8).

const EXPIRES_MS = 300;
const TRANSFER_LIMIT_MS = 3_000;

describe('a KV cache on its way', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start({
      contextWorkers: 2,
      edge: { edge: { worker_connect_timeout_ms: 1_500 }, context_servers: { router: { type: 'round_robin' } } },
      context: { cache_transceiver_config: { kv_transfer_timeout_ms: EXPIRES_MS } },
      generation: { max_batch_size: 1, cache_transceiver_config: { kv_transfer_timeout_ms: TRANSFER_LIMIT_MS } },
      worker: {
        engine: {
          simulated: {
            decode_step_ms: 10,
            prefill_tokens_per_second: 1e5,
            // The cache of `longPrompt` takes about a second and a half, that of others next to nothing.
            kv_bytes_per_token: 16_384,
            kv_bandwidth_bytes_per_second: 8e6,
            speed_up: 1,
          },
        },
      },
    });
  }, 60_000);

  afterAll(() => cluster.settleAndStop(), 30_000);

  const longPrompt = (topic: string): string => promptOn(topic, 300);
  const headersOf = (topic: string): { headers: Record<string, string> } => ({ headers: { 'x-session-id': topic } });

  const lineOf = (conversation: string): Promise<LogLine> =>
    eventually(() => cluster.logs('edge').find((line) => line['conversation_id'] === conversation));

  /** Waits until a context worker is sending a cache; gives its name. */
  const sender = (): Promise<string> =>
    eventually(async () => {
      const { context_servers, generation_servers } = await cluster.clusterInfo();
      const arriving = generation_servers[0]?.ranks?.some(({ num_active_requests: active }) => active > 0) === true;
      const sending = context_servers.find(({ ranks }) => ranks?.some(({ num_held_handoffs: held }) => held > 0));
      return arriving && sending !== undefined ? cluster.nameOf(sending.server) : undefined;
    });

  /** A request that takes more than a second to decode; resolves when it has the generation worker's only slot. */
  async function decoding(): Promise<{ answer: Promise<Answer> }> {
    const answer = chat(cluster.url, promptOn('busy', 5), { max_tokens: 120, ignore_eos: true });
    await eventually(async () => {
      const [worker] = (await cluster.clusterInfo()).generation_servers;
      return worker?.ranks?.[0]?.num_active_requests === 1;
    });
    return { answer };
  }

  async function undisturbed(topic: string, prompt: string): Promise<string> {
    const answer = await chat(cluster.url, prompt, { max_tokens: 20 }, headersOf(`${topic}-before`));
    return answer.text;
  }

  it.each([false, true])('expires before it is fetched: it is computed again, stream %j', async (stream) => {
    const topic = `expiring${String(stream)}`;
    const text = await undisturbed(topic, promptOn(topic, 5));
    const busy = await decoding();
    const waiting = await chat(cluster.url, promptOn(topic, 5), { max_tokens: 20, stream }, headersOf(topic));
    expect(waiting).toMatchObject({ status: 200, text, error: null });
    expect(await lineOf(topic)).toMatchObject({ outcome: 'ok', resumed: 1 });
    expect((await busy.answer).status).toBe(200);
  });

  it('does not expire while it is being fetched', async () => {
    const answer = await chat(cluster.url, longPrompt('lasting'), { max_tokens: 20 }, headersOf('lasting'));
    expect(answer.status).toBe(200);
    const line = (await lineOf('lasting')) as { resumed: number; generation: { handoff_ms: number } };
    expect(line.resumed).toBe(0);
    expect(line.generation.handoff_ms).toBeGreaterThan(2 * EXPIRES_MS);
  });

  it.each([false, true])(
    'loses its worker in mid-transfer: it is computed again, stream %j',
    async (stream) => {
      const topic = `killed${String(stream)}`;
      const answer = chat(cluster.url, longPrompt(topic), { max_tokens: 20, stream }, headersOf(topic));
      const victim = await sender();
      await cluster.kill(victim, 'SIGKILL');
      expect(await answer).toMatchObject({ status: 200, error: null });
      expect(await lineOf(topic)).toMatchObject({ outcome: 'ok', resumed: 1 });
      await cluster.restart(victim);
      expect((await answer).text).toBe(await undisturbed(topic, longPrompt(topic)));
    },
    30_000,
  );

  it('hangs in mid-transfer: it is computed again elsewhere', async () => {
    const answer: Promise<Answer> = chat(cluster.url, longPrompt('hung'), { max_tokens: 20 }, headersOf('hung'));
    const victim = await sender();
    cluster.process(victim).signal('SIGSTOP');
    const { status, error } = await answer.finally(() => {
      cluster.process(victim).signal('SIGCONT');
    });
    expect({ status, error }).toEqual({ status: 200, error: null });
    expect(await lineOf('hung')).toMatchObject({ outcome: 'ok', resumed: 1 });
  }, 30_000);
});

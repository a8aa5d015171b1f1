import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readMetadata, verifyAffinity, verifyHandoff } from '@roost/affinity-auth';
import {
  DISAGG_AUTH,
  FinishReason,
  type GenerateRequest,
  GenerateResponse,
  type PrefillRequest,
  PrefillResponse,
  RoostError,
  SUBAGENT_AFFINITY_AUTH,
  SUBAGENT_AFFINITY_ID,
} from '@roost/protocol';
import { eventually } from '@roost/testing';

import { PARENT_HEADER } from './harness/cluster-files.js';
import { Cluster } from './harness/cluster.js';
import { FakeWorker, generated, prefilled, type SeenLeg } from './harness/fake-worker.js';
import { type Answer, chat } from './harness/http-client.js';
import { claimOf } from './harness/leg-messages.js';
import { PRIVATE_KEY, promptOn } from './harness/private-text.js';
import { sendHttp } from './harness/raw-http.js';

// Owns: what an edge sends to workers and makes of their answers: reference 8.5 (the legs and what they carry) and 8.4 as
// far as gRPC goes (attempts, their ids and signatures), seen by workers that answer as the test says.

const CHILD = { headers: { 'x-session-id': 'child', [PARENT_HEADER]: 'parent' } };
const DELIVERIES = [{ stream: false }, { stream: true }];
const USAGE = { stream_options: { include_usage: true } };

describe('legs', () => {
  let contexts: FakeWorker[];
  let generations: FakeWorker[];
  let cluster: Cluster;
  let scopeBoth: string;

  beforeAll(async () => {
    contexts = await Promise.all([FakeWorker.start('CONTEXT'), FakeWorker.start('CONTEXT')]);
    generations = await Promise.all([FakeWorker.start('GENERATION'), FakeWorker.start('GENERATION')]);
    const addresses = (workers: FakeWorker[]): string[] => workers.map(({ address }) => address);
    const servers = { context: addresses(contexts), generation: addresses(generations) };
    // What a failed attempt makes suspicious is looked at again before the next test looks.
    cluster = await Cluster.start({
      servers,
      edge: { edge: { health_poll_interval_ms: 20 } },
      expectedErrors: /13 INTERNAL: no/,
    });
    scopeBoth = await cluster.addEdge('edge-both', { subagent_affinity_scope: 'both' });
  }, 60_000);

  afterAll(async () => {
    await cluster.stop().finally(() => {
      for (const worker of [...contexts, ...generations]) worker.stop();
    });
  }, 30_000);

  beforeEach(async () => {
    for (const worker of [...contexts, ...generations]) worker.reset();
    for (const url of [cluster.url, scopeBoth]) {
      await eventually(async () => {
        const info = await cluster.clusterInfo(url);
        return [...info.context_servers, ...info.generation_servers].every(({ serving }) => serving);
      });
      await cluster.settled(url);
    }
  });

  const prefills = (): SeenLeg<PrefillRequest>[] => contexts.flatMap((worker) => worker.prefills);
  const generates = (): SeenLeg<GenerateRequest>[] => generations.flatMap((worker) => worker.generates);
  const released = (): bigint[] => contexts.flatMap(({ releases }) => releases.map((each) => each.ctxRequestId));

  /** Makes all workers of a fleet together fail their first attempts, each with one of these. */
  function failFirst(phase: 'prefill' | 'generate', ...errors: readonly RoostError[]): void {
    const left = [...errors];
    const failOr = <Value>(value: () => Value): Value => {
      const error = left.shift();
      if (error !== undefined) throw error;
      return value();
    };
    for (const worker of contexts) {
      if (phase === 'prefill')
        worker.script = { prefill: (request) => failOr(() => prefilled(request, worker.address)) };
    }
    for (const worker of generations) {
      if (phase === 'generate') worker.script = { generate: (request) => failOr(() => generated(request)) };
    }
  }

  const ask = (fields: object = {}, url = cluster.url): Promise<Answer> =>
    chat(url, promptOn('legs'), { max_tokens: 50, ...fields }, CHILD);

  const affinityOf = ({ message, metadata }: SeenLeg<PrefillRequest | GenerateRequest>, key = PRIVATE_KEY): boolean =>
    verifyAffinity([key], claimOf(message, 'parent'), readMetadata(metadata, SUBAGENT_AFFINITY_AUTH) ?? '');

  const handoffOf = ({ message, metadata }: SeenLeg<GenerateRequest>): boolean => {
    const { ctxInfoEndpoint = null, encodedOpaqueState = null } = message.disaggregatedParams ?? {};
    return verifyHandoff(
      [PRIVATE_KEY],
      { ctxInfoEndpoint, encodedOpaqueState },
      readMetadata(metadata, DISAGG_AUTH) ?? '',
    );
  };

  describe('8.5: what they carry', () => {
    it.each(DELIVERIES)('the handoff goes from the context answer to the generation leg, %j', async ({ stream }) => {
      const answer = await ask({ stream });
      expect(answer).toMatchObject({ status: 200, text: 'two words', finishReason: 'stop' });
      const [{ message: context } = { message: null }] = prefills();
      const [generation] = generates();
      const id = context?.disaggregatedParams?.disaggRequestId ?? 0n;
      expect(context).toMatchObject({
        model: 'roost-simulated',
        conversationId: 'child',
        disaggregatedParams: { requestType: 'context_only', scheduleStyle: 'context_first' },
        samplingParams: { maxTokens: 50 },
      });
      expect(id).toBeGreaterThan(2n ** 40n);
      expect(generation?.message).toMatchObject({
        conversationId: 'child',
        stream,
        disaggregatedParams: {
          requestType: 'generation_only',
          ctxRequestId: id,
          disaggRequestId: id,
          firstGenTokens: [500],
          ctxDpRank: 3,
          ctxUsage: { promptTokens: 100, cachedTokens: 64 },
        },
      });
      expect(generation === undefined ? false : handoffOf(generation)).toBe(true);
      expect(released()).toEqual([]);
    });

    it('ids beyond 2^53 arrive digit for digit, and the context answer’s id counts', async () => {
      const own = 2n ** 62n + 2n ** 53n + 1n;
      for (const worker of contexts) {
        worker.script = {
          prefill: (request) => {
            const answer = prefilled(request, worker.address);
            const params = { ...answer.disaggregatedParams, ctxRequestId: own, disaggRequestId: own };
            return PrefillResponse.fromPartial({ ...answer, disaggregatedParams: params });
          },
        };
      }
      expect((await ask()).status).toBe(200);
      expect(generates().map(({ message }) => message.disaggregatedParams)).toMatchObject([
        { ctxRequestId: own, disaggRequestId: own },
      ]);
    });

    it.each(DELIVERIES)('usage is that of the context leg, %j', async ({ stream }) => {
      const answer = await ask({ stream, ...(stream ? USAGE : {}) });
      expect(answer.usage).toEqual({ prompt: 100, completion: 2, cached: 64 });
    });

    it('the body travels as the client wrote it, but for what only an edge may set', async () => {
      const body = `{ "model":"roost-simulated",\n "max_tokens": 50, "seed":9007199254740993,"messages":[{"role":"user","content":"${promptOn('bytes')} \\u00e9"}] }`;
      await sendHttp(cluster.url, { path: '/v1/chat/completions', body });
      expect(prefills()[0]?.message.body.toString()).toBe(body);
      expect(generates()[0]?.message.samplingParams?.seed).toBe(9_007_199_254_740_993n);
      await ask({ disaggregated_params: { request_type: 'generation_only' } });
      expect(prefills().at(-1)?.message.body.toString()).not.toContain('disaggregated_params');
    });

    it('affinity goes with the context leg only, or with both, each signed for its own role', async () => {
      await ask();
      expect(prefills().map((leg) => affinityOf(leg))).toEqual([true]);
      expect(generates().map(({ metadata }) => metadata.get(SUBAGENT_AFFINITY_ID))).toEqual([[]]);
      await ask({}, scopeBoth);
      expect(prefills().map((leg) => affinityOf(leg))).toEqual([true, true]);
      expect(affinityOf(generates().at(-1) ?? never())).toBe(true);
      expect(prefills().map(({ metadata }) => metadata.get(SUBAGENT_AFFINITY_ID))).toEqual([['parent'], ['parent']]);
    });

    it.each(
      DELIVERIES.flatMap(({ stream }) => [
        { stream, end: FinishReason.FINISH_REASON_STOP, finishReason: 'stop', max_tokens: 50 },
        { stream, end: FinishReason.FINISH_REASON_LENGTH, finishReason: 'length', max_tokens: 1 },
      ]),
    )('an answer that the context leg finished is delivered, without a generation leg: %j', async (given) => {
      const { stream, end, finishReason, max_tokens } = given;
      for (const worker of contexts) {
        worker.script = {
          prefill: () =>
            PrefillResponse.fromPartial({
              finishReason: end,
              text: 'Done',
              usage: { promptTokens: 9, completionTokens: 1, cachedTokens: 4 },
              disaggregatedParams: { requestType: 'context_only', ctxRequestId: 1n, disaggRequestId: 1n },
            }),
        };
      }
      const answer = await ask({ stream, max_tokens, ...(stream ? USAGE : {}) });
      const usage = { prompt: 9, completion: 1, cached: 4 };
      expect(answer).toMatchObject({ status: 200, text: 'Done', finishReason, usage, error: null });
      expect(generates()).toEqual([]);
    });
  });

  describe('8.4: attempts', () => {
    const lost = (): RoostError => new RoostError('worker_unavailable', 'shutting down');

    it('7: a lost context leg is tried elsewhere, with an id and a signature of its own', async () => {
      failFirst('prefill', lost());
      expect((await ask()).status).toBe(200);
      expect(contexts.map((worker) => worker.prefills.length)).toEqual([1, 1]);
      const [a = never(), b = never()] = prefills();
      const idOf = ({ message }: SeenLeg<PrefillRequest>): unknown => message.disaggregatedParams?.disaggRequestId;
      expect(idOf(a)).not.toBe(idOf(b));
      expect([affinityOf(a), affinityOf(b)]).toEqual([true, true]);
      expect(affinityOf({ message: a.message, metadata: b.metadata })).toBe(false);
      expect(affinityOf({ message: b.message, metadata: a.metadata })).toBe(false);
    });

    it.each(DELIVERIES)('7: a lost generation leg likewise, from the same cache, %j', async ({ stream }) => {
      failFirst('generate', lost());
      expect(await ask({ stream }, scopeBoth)).toMatchObject({ status: 200, text: 'two words' });
      expect(generations.map((worker) => worker.generates.length)).toEqual([1, 1]);
      expect(prefills()).toHaveLength(1);
      const [a = never(), b = never()] = generates();
      const paramsOf = ({ message }: SeenLeg<GenerateRequest>): unknown => message.disaggregatedParams;
      const ctxRequestId = prefills()[0]?.message.disaggregatedParams?.disaggRequestId;
      expect([paramsOf(a), paramsOf(b)]).toMatchObject([{ ctxRequestId }, { ctxRequestId }]);
      expect([a, b].map((leg) => affinityOf(leg))).toEqual([true, true]);
      expect([a, b].map(handoffOf)).toEqual([true, true]);
      expect(affinityOf({ message: a.message, metadata: b.metadata })).toBe(false);
      expect(affinityOf({ message: b.message, metadata: a.metadata })).toBe(false);
    });

    it.each(['internal', 'overloaded'] as const)('4: %s is tried once more, and no more', async (code) => {
      failFirst('prefill', new RoostError(code, 'no'));
      expect((await ask()).status).toBe(200);
      expect(prefills()).toHaveLength(2);
      failFirst('prefill', ...Array.from({ length: 9 }, () => new RoostError(code, 'no')));
      expect((await ask()).status).toBe(new RoostError(code, '').kind.http);
      expect(prefills()).toHaveLength(4);
    });

    it.each([
      ['prefill', 'invalid_request'],
      ['prefill', 'context_length_exceeded'],
      ['prefill', 'invalid_affinity_auth'],
      ['prefill', 'model_not_found'],
      ['generate', 'invalid_request'],
      ['generate', 'invalid_handoff_auth'],
    ] as const)('10, 14: a %s refused as %s is sent once, and the refusal told', async (phase, code) => {
      failFirst(phase, new RoostError(code, 'change this', { param: 'messages' }));
      for (const stream of [false, true]) {
        const refusal = new RoostError(code, 'change this');
        failFirst(phase, new RoostError(code, 'change this', { param: 'messages' }));
        const { status, error } = await ask({ stream });
        expect({ status, error }).toMatchObject({
          status: refusal.kind.http,
          error: { code, message: 'change this', param: 'messages' },
        });
      }
      expect(prefills()).toHaveLength(2);
      // A cache that nobody will fetch is freed at once.
      if (phase === 'generate') await eventually(() => released().length === 2);
    });

    it('a cache that is gone is computed again', async () => {
      failFirst('generate', new RoostError('kv_cache_gone', 'expired'));
      expect(await ask()).toMatchObject({ status: 200, text: 'two words' });
      const ids = prefills().map(({ message }) => message.disaggregatedParams?.disaggRequestId);
      expect(new Set(ids).size).toBe(2);
      const used = generates().map(({ message }) => message.disaggregatedParams?.ctxRequestId);
      expect(new Set(used)).toEqual(new Set(ids));
    });

    it.each(DELIVERIES)('an answer that breaks off goes on from its last token, %j', async ({ stream }) => {
      let broken = false;
      for (const worker of generations) {
        worker.script = {
          *generate(request) {
            if (!broken) {
              broken = true;
              yield GenerateResponse.fromPartial({ text: 'two', tokenIds: [500], rank: 0 });
              throw lost();
            }
            yield* generated(request);
          },
        };
      }
      expect(await ask({ stream })).toMatchObject({ status: 200, text: 'two words', finishReason: 'stop' });
      const again = generates().find(({ message }) => message.generatedTokenIds.length > 0);
      expect(again?.message.generatedTokenIds).toEqual([500]);
    });
  });

  it('503 with Retry-After when nothing serves, and service again when something does', async () => {
    for (const worker of generations) worker.setServing(false);
    await eventually(async () => (await fetch(`${cluster.url}/health`)).status === 503);
    const answer = await ask();
    expect(answer).toMatchObject({ status: 503, error: { code: 'no_instance' } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    generations[0]?.setServing(true);
    await eventually(async () => (await fetch(`${cluster.url}/health`)).status === 200);
    expect((await ask()).status).toBe(200);
    for (const worker of generations) worker.setServing(true);
  });

  it('429 with Retry-After when places and line are full, and service again when there is a place', async () => {
    const url = await cluster.addEdge('edge-small', { edge: { max_concurrent_requests: 1, max_queued_requests: 1 } });
    const wait = Promise.withResolvers<undefined>();
    for (const worker of contexts) {
      worker.script = {
        prefill: async (request) => {
          await wait.promise;
          return prefilled(request, worker.address);
        },
      };
    }
    const inside = [ask({}, url), ask({}, url)];
    await eventually(async () => (await cluster.counters(url)).queuedAtEdge === 1);
    const refused = await ask({}, url);
    expect(refused).toMatchObject({ status: 429, error: { code: 'overloaded', type: 'rate_limit_error' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    wait.resolve(undefined);
    expect((await Promise.all(inside)).map(({ status }) => status)).toEqual([200, 200]);
    await cluster.settled(url);
  });
});

function never(): never {
  throw new Error('the leg was not sent');
}

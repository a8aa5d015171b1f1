import { Metadata, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type DisaggregatedParams,
  ERROR_CODE,
  ERROR_PARAM,
  FinishReason,
  GenerateResponse,
  type KvHeader,
  PrefillResponse,
  type PullRequest,
  type PullResponse,
} from '@roost/protocol';
import { eventually } from '@roost/testing';

import { Cluster } from './harness/cluster.js';
import { FakeWorker, prefilled } from './harness/fake-worker.js';
import { chat } from './harness/http-client.js';
import { generateMessage, handoffMeta, prefillMessage } from './harness/leg-messages.js';
import { promptOn } from './harness/private-text.js';

// Owns: peers that a worker or an edge has no reason to doubt and that answer with nonsense, or ask for it: nobody crashes,
// hangs, keeps anything, or takes wrong data for an answer.

/** Trailers that name a field in a way that cannot be decoded. */
function badTrailers(): { code: status; details: string; metadata: Metadata } {
  const metadata = new Metadata();
  metadata.set(ERROR_CODE, 'invalid_request');
  metadata.set(ERROR_PARAM, '%E0%A4%A');
  return { code: status.INVALID_ARGUMENT, details: 'no', metadata };
}

describe('what workers are asked for', () => {
  let cluster: Cluster;
  let peer: FakeWorker;

  beforeAll(async () => {
    peer = await FakeWorker.start('CONTEXT');
    cluster = await Cluster.start({ context: { cache_transceiver_config: { kv_transfer_timeout_ms: 500 } } });
  }, 60_000);

  afterAll(async () => {
    peer.stop();
    await cluster.settleAndStop();
  }, 30_000);

  beforeEach(() => {
    peer.reset();
  });

  const context = (): ReturnType<Cluster['worker']> => cluster.worker('context-0');
  const generation = (): ReturnType<Cluster['worker']> => cluster.worker('generation-0');

  it.each([0n, 2n ** 63n - 1n, 2n ** 64n - 1n])('the request id %s is one like others', async (id) => {
    const { disaggregatedParams } = await context().prefill(prefillMessage('ids', `id${String(id)}`, id));
    expect(disaggregatedParams?.ctxRequestId).toBe(id);
  });

  it('a part of a token id is refused', async () => {
    const message = { ...prefillMessage('part', 'part'), promptTokenIds: Buffer.alloc(7) };
    await expect(context().prefill(message)).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'prompt_token_ids',
    });
  });

  it('more tokens to skip than there are are refused', async () => {
    const { disaggregatedParams = never() } = await context().prefill(prefillMessage('skip', 'skip'));
    const request = pullOf(disaggregatedParams, 2 ** 32 - 1);
    await expect(context().pull(request, handoffMeta(disaggregatedParams))).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'skip_tokens',
    });
  });

  describe('a cache that is not what was asked for', () => {
    /** A generation leg that fetches its cache from the peer, which has the messages of the right one to spoil. */
    async function takeOver(
      topic: string,
      spoil: (right: Right) => Iterable<PullResponse>,
    ): Promise<GenerateResponse[]> {
      const leg = prefillMessage(topic, topic);
      const answer = await context().prefill(leg);
      const { disaggregatedParams = never() } = answer;
      const proof = handoffMeta(disaggregatedParams);
      const messages = await context().pull(pullOf(disaggregatedParams), proof);
      const header = messages[0]?.header ?? never();
      peer.script = { ...peer.script, pull: () => spoil({ header, messages }) };
      const elsewhere = { ...disaggregatedParams, ctxInfoEndpoint: peer.address };
      const message = generateMessage(leg, { ...answer, disaggregatedParams: elsewhere });
      return await generation().generate(message, handoffMeta(elsewhere));
    }

    const spoilt: [string, (right: Right) => Iterable<PullResponse>][] = [
      ['nothing', () => []],
      ['no header', ({ messages }) => messages.slice(1)],
      ['an empty message', () => [{ header: undefined, chunk: undefined, trailer: undefined }]],
      ['a header alone', ({ messages }) => messages.slice(0, 1)],
      ['no trailer', ({ messages }) => messages.slice(0, -1)],
      ['nothing between header and trailer', ({ messages }) => [...messages.slice(0, 1), ...messages.slice(-1)]],
      ['a length that lies', ({ header, messages }) => withHeader(messages, { ...header, numBytes: 2n ** 60n })],
      ['another number of tokens', ({ header, messages }) => withHeader(messages, { ...header, numTokens: 1 })],
      [
        'more skipped than held',
        ({ header, messages }) => withHeader(messages, { ...header, skippedTokens: 2 ** 32 - 1 }),
      ],
      ['another layout', ({ header, messages }) => withHeader(messages, { ...header, layout: '' })],
      ['a byte changed', ({ messages }) => messages.map(withByteChanged)],
      ['more than all', ({ messages }) => [...messages.slice(0, -1), ...messages.slice(1)]],
    ];

    it.each(spoilt)('%s: the leg fails, and holds nothing', async (what, spoil) => {
      await expect(takeOver(what, spoil)).rejects.toMatchObject({ code: 'kv_transfer_failed' });
      await cluster.settled();
    });

    it('the right one, by way of a peer that cannot be told that it has arrived', async () => {
      peer.script = { release: badTrailers };
      const messages = await takeOver('release', ({ messages: right }) => right);
      expect(messages.at(-1)?.finishReason).toBeGreaterThan(0);
      await eventually(() => peer.releases.length > 0);
      expect((await generation().info()).numRanks).toBe(1);
    });
  });
});

interface Right {
  readonly header: KvHeader;
  readonly messages: readonly PullResponse[];
}

function pullOf(params: DisaggregatedParams, skipTokens = 0): PullRequest {
  const { ctxRequestId = 0n, encodedOpaqueState = '', ctxInfoEndpoint = '' } = params;
  return { ctxRequestId, encodedOpaqueState, ctxInfoEndpoint, skipTokens, awaited: false };
}

function never(): never {
  throw new Error('it is not there');
}

function withHeader(messages: readonly PullResponse[], header: KvHeader): PullResponse[] {
  return [{ header, chunk: undefined, trailer: undefined }, ...messages.slice(1)];
}

function withByteChanged(message: PullResponse): PullResponse {
  if (message.chunk === undefined) return message;
  const chunk = Buffer.from(message.chunk);
  chunk.writeUInt8(chunk.readUInt8(chunk.length - 1) ^ 1, chunk.length - 1);
  return { ...message, chunk };
}

describe('what workers answer to an edge', () => {
  let cluster: Cluster;
  let context: FakeWorker;
  let generation: FakeWorker;

  beforeAll(async () => {
    [context, generation] = await Promise.all([FakeWorker.start('CONTEXT'), FakeWorker.start('GENERATION')]);
    cluster = await Cluster.start({
      servers: { context: [context.address], generation: [generation.address] },
      expectedErrors: /./,
    });
  }, 60_000);

  afterAll(async () => {
    await cluster.stop().finally(() => {
      for (const worker of [context, generation]) worker.stop();
    });
  }, 30_000);

  it('trailers that cannot be read end the request, not the edge', async () => {
    context.script = {
      prefill: () => {
        throw Object.assign(new Error('no'), badTrailers());
      },
    };
    const { error } = await chat(cluster.url, promptOn('trailers'));
    expect(error).not.toBeNull();
    context.reset();
    expect((await chat(cluster.url, promptOn('trailers'))).status).toBe(200);
  });

  it.each([
    [FinishReason.FINISH_REASON_NOT_FINISHED, false],
    [FinishReason.FINISH_REASON_NOT_FINISHED, true],
    [99, false],
    [99, true],
  ])('an end for the reason %s is none, stream %s', async (finishReason, stream) => {
    generation.script = { generate: () => [GenerateResponse.fromPartial({ text: 'Half', finishReason })] };
    const answer = await chat(cluster.url, promptOn('reasons'), { stream });
    expect(answer).toMatchObject({ status: stream ? 200 : 500, finishReason: null, error: { code: 'internal' } });
  });

  it.each(['encodedOpaqueState', 'ctxInfoEndpoint', 'ctxRequestId', 'disaggRequestId'])(
    'a handoff without %s is the worker’s fault, not the client’s',
    async (field) => {
      context.script = {
        prefill: (request) => {
          const answer = prefilled(request, context.address);
          return PrefillResponse.fromPartial({
            ...answer,
            disaggregatedParams: { ...answer.disaggregatedParams, [field]: undefined },
          });
        },
      };
      expect(await chat(cluster.url, promptOn(field))).toMatchObject({ status: 500, error: { code: 'internal' } });
    },
  );
});

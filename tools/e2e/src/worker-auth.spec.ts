import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  DISAGG_AUTH,
  type GenerateRequest,
  type PrefillRequest,
  type PrefillResponse,
  SUBAGENT_AFFINITY_AUTH,
  SUBAGENT_AFFINITY_ID,
} from '@roost/protocol';

import { PARENT_HEADER } from './harness/cluster-files.js';
import { Cluster } from './harness/cluster.js';
import { forgeries } from './harness/forgeries.js';
import { chat } from './harness/http-client.js';
import { affinityMeta, claimOf, generateMessage, handoffMeta, prefillMessage } from './harness/leg-messages.js';
import { PRIVATE_KEY, promptOn } from './harness/private-text.js';
import type { Meta } from './harness/worker-client.js';

// Owns: reference 8.2 against running workers: nothing that an edge did not sign for this very leg moves a request, reaches
// a KV cache, or frees one.

const NEW_KEY = `${PRIVATE_KEY}-2`;
const refused = (code: string, message: string | RegExp): object => ({
  code,
  message: typeof message === 'string' ? message : (expect.stringMatching(message) as unknown),
  cause: expect.objectContaining({ code: status.INVALID_ARGUMENT }) as unknown,
});
const NO_AFFINITY = refused('invalid_affinity_auth', 'Invalid internal subagent affinity authentication');
const NO_HANDOFF = refused('invalid_handoff_auth', 'Invalid internal disaggregated request authentication');

describe('what workers believe', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    const key = { internal_request_auth_key: NEW_KEY, internal_request_auth_previous_keys: [PRIVATE_KEY] };
    cluster = await Cluster.start({
      ranks: 3,
      worker: { cache_transceiver_config: { kv_transfer_timeout_ms: 2_000 } },
      strangers: {
        whole: { role: null },
        rotated: { role: 'CONTEXT', settings: key },
        keyless: { role: 'GENERATION', settings: { internal_request_auth_key: null } },
        unconnected: { role: 'GENERATION', settings: { cache_transceiver_config: null } },
      },
    });
  }, 60_000);

  afterAll(() => cluster.settleAndStop(), 30_000);

  const prefill = (message: PrefillRequest, meta: Meta = {}, worker = 'context-0'): Promise<PrefillResponse> =>
    cluster.worker(worker).prefill(message, meta);

  const generate = async (message: GenerateRequest, meta: Meta = {}, worker = 'generation-0'): Promise<number> => {
    const [first] = await cluster.worker(worker).generate(message, meta);
    return first?.rank ?? -1;
  };

  /** A context leg that went through, and the generation leg to it. */
  async function handedOver(
    conversation: string,
  ): Promise<{ leg: GenerateRequest; proof: Meta; answer: PrefillResponse }> {
    const message = prefillMessage(conversation, conversation);
    const answer = await prefill(message);
    const leg = generateMessage(message, answer);
    return { leg, answer, proof: handoffMeta(leg.disaggregatedParams ?? {}) };
  }

  describe('of a context leg', () => {
    it('1, 14: nothing where nothing is claimed', async () => {
      const answer = await prefill(prefillMessage('plain', 'plain'));
      expect(answer.disaggregatedParams?.encodedOpaqueState).toEqual(expect.any(String));
    });

    it('10: a signed parent session, which decides the rank', async () => {
      const parent = await prefill(prefillMessage('p-ctx', 'p-ctx'));
      await prefill(prefillMessage('q-ctx', 'q-ctx'));
      for (const child of ['c1', 'c2', 'c3', 'c4']) {
        const message = prefillMessage(child, 'p-ctx');
        const { rank, usage } = await prefill(message, affinityMeta('p-ctx', claimOf(message, 'p-ctx')));
        expect(rank).toBe(parent.rank);
        expect(usage?.cachedTokens).toBeGreaterThan(0);
      }
    });

    it.each(forgeries())('12, 13: not a parent session %s', async (_, forge) => {
      const message = prefillMessage('child', 'forged');
      await expect(prefill(message, forge(claimOf(message, 'parent')))).rejects.toMatchObject(NO_AFFINITY);
    });

    it('a parent session outside ASCII, signed', async () => {
      const parent = 'p-é-😀\u007f';
      const message = prefillMessage('child', 'unicode');
      const { [SUBAGENT_AFFINITY_AUTH]: auth = '' } = affinityMeta('', claimOf(message, parent));
      const meta = { [`${SUBAGENT_AFFINITY_ID}-bin`]: Buffer.from(parent), [SUBAGENT_AFFINITY_AUTH]: auth };
      await expect(prefill(message, meta)).resolves.toMatchObject({ usage: { completionTokens: 1 } });
    });

    it('not a parent session that is given in two ways', async () => {
      const message = prefillMessage('child', 'twice');
      const meta = {
        ...affinityMeta('parent', claimOf(message, 'parent')),
        [`${SUBAGENT_AFFINITY_ID}-bin`]: Buffer.from('other'),
      };
      await expect(prefill(message, meta)).rejects.toMatchObject(refused('invalid_request', /must be given once/));
    });

    it('a blank parent session is none', async () => {
      const answer = prefill(prefillMessage('blank', 'blank'), { [`${SUBAGENT_AFFINITY_ID}-bin`]: Buffer.from('  ') });
      await expect(answer).resolves.toMatchObject({ usage: { completionTokens: 1 } });
    });

    it('a signature once, for a request that is served once', async () => {
      const message = prefillMessage('replayed', 'replayed');
      const meta = affinityMeta('parent', claimOf(message, 'parent'));
      await prefill(message, meta);
      await expect(prefill(message, meta)).rejects.toMatchObject({ code: 'request_id_in_use' });
    });

    it('the key in use and the one before it, while keys are rotated', async () => {
      for (const key of [NEW_KEY, PRIVATE_KEY]) {
        const message = prefillMessage('rotated', 'rotated');
        const meta = affinityMeta('parent', claimOf(message, 'parent'), key);
        await expect(prefill(message, meta, 'rotated')).resolves.toMatchObject({ usage: { completionTokens: 1 } });
      }
      const message = prefillMessage('rotated', 'rotated');
      const meta = affinityMeta('parent', claimOf(message, 'parent'), 'older');
      await expect(prefill(message, meta, 'rotated')).rejects.toMatchObject(NO_AFFINITY);
    });

    it('nothing of another role’s leg, signed or not', async () => {
      const message = prefillMessage('child', 'role');
      const meta = affinityMeta('parent', { ...claimOf(message, 'parent'), role: 'GENERATION' });
      const refusal = refused('invalid_request', /role is GENERATION: it takes no context_only/);
      await expect(prefill(message, meta, 'generation-0')).rejects.toMatchObject(refusal);
    });
  });

  describe('of a generation leg', () => {
    it('4, 10, 15: a signed handoff, and a signed parent session beside it', async () => {
      const parent = await handedOver('p-gen');
      const home = await generate(parent.leg, parent.proof);
      const other = await handedOver('q-gen');
      await generate(other.leg, other.proof);
      for (const child of ['g1', 'g2', 'g3']) {
        const { leg, proof } = await handedOver(child);
        expect(await generate(leg, { ...proof, ...affinityMeta('p-gen', claimOf(leg, 'p-gen')) })).toBe(home);
      }
    });

    it.each(forgeries())('12, 13: not a parent session %s', async (_, forge) => {
      const { leg, proof } = await handedOver('child');
      const meta = { ...proof, ...forge(claimOf(leg, 'parent')) };
      await expect(generate(leg, meta)).rejects.toMatchObject(NO_AFFINITY);
    });

    it('5: conversation data is not part of the proof', async () => {
      const { leg, proof } = await handedOver('proof');
      await expect(generate({ ...leg, conversationId: 'another' }, proof)).resolves.toBeGreaterThanOrEqual(0);
    });

    it('6, 7, 8: not a handoff that is changed, signed otherwise, or not signed', async () => {
      const { leg, proof } = await handedOver('tampered');
      const elsewhere = await handedOver('elsewhere');
      const change = (fields: object): GenerateRequest =>
        ({ ...leg, disaggregatedParams: { ...leg.disaggregatedParams, ...fields } }) as GenerateRequest;
      const attempts: [GenerateRequest, Meta][] = [
        [leg, {}],
        [leg, { [DISAGG_AUTH]: '' }],
        [leg, { [`${DISAGG_AUTH}-bin`]: Buffer.from('sha256=ü') }],
        [leg, handoffMeta(leg.disaggregatedParams ?? {}, 'guess')],
        [leg, elsewhere.proof],
        [change({ ctxInfoEndpoint: '127.0.0.1:1' }), proof],
        [change({ ctxInfoEndpoint: undefined }), proof],
        [change({ encodedOpaqueState: elsewhere.leg.disaggregatedParams?.encodedOpaqueState }), proof],
        [change({ encodedOpaqueState: undefined }), proof],
      ];
      for (const [message, meta] of attempts) await expect(generate(message, meta)).rejects.toMatchObject(NO_HANDOFF);
      await expect(generate(leg, proof)).resolves.toBeGreaterThanOrEqual(0);
    });

    it('9: no handoff at all without a cache transceiver', async () => {
      const { leg, proof } = await handedOver('unconnected');
      const refusal = refused('invalid_request', /cache_transceiver_config/);
      await expect(generate(leg, proof, 'unconnected')).rejects.toMatchObject(refusal);
    });

    it('3, 12: without a key a handoff with a warning, and no parent session', async () => {
      const { leg } = await handedOver('keyless');
      const meta = affinityMeta('parent', claimOf(leg, 'parent'));
      const refusal = refused('invalid_affinity_auth', 'Subagent affinity requires internal_request_auth_key');
      await expect(generate(leg, meta, 'keyless')).rejects.toMatchObject(refusal);
      const message = prefillMessage('whole', 'whole');
      await expect(generate(generateMessage(message, null), {}, 'keyless')).resolves.toBeGreaterThanOrEqual(0);
      await generate(leg, {}, 'keyless').catch(() => undefined);
      const warnings = cluster.logs('keyless').filter(({ msg }) => String(msg).includes('without proof'));
      expect(warnings.map(({ level }) => level)).toEqual(['warn']);
    });
  });

  describe('of a request that is served whole', () => {
    it('11: no parent session, whatever comes with it', async () => {
      const own = generateMessage(prefillMessage('w-home', 'w-home'), null);
      const home = await generate(own, {}, 'whole');
      const garbage: Meta[] = [
        { [SUBAGENT_AFFINITY_ID]: 'victim' },
        { [SUBAGENT_AFFINITY_ID]: 'victim', [SUBAGENT_AFFINITY_AUTH]: 'sha256=00' },
        { [SUBAGENT_AFFINITY_ID]: 'victim', [`${SUBAGENT_AFFINITY_ID}-bin`]: Buffer.from('victims') },
        affinityMeta('victim', { ...claimOf(own, 'victim'), role: 'GENERATION' }),
      ];
      await generate(generateMessage(prefillMessage('victim', 'victim'), null), {}, 'whole');
      for (const meta of garbage) expect(await generate(own, meta, 'whole')).toBe(home);
    });

    it('5: a worker without a role takes that of the leg, and demands its proof', async () => {
      const message = prefillMessage('child', 'inferred');
      const meta = affinityMeta('parent', claimOf(message, 'parent'));
      await expect(prefill(message, meta, 'whole')).resolves.toMatchObject({ usage: { completionTokens: 1 } });
      const forged = prefillMessage('child', 'inferred');
      await expect(prefill(forged, meta, 'whole')).rejects.toMatchObject(NO_AFFINITY);
    });
  });

  describe('of a cache transfer', () => {
    const transferOf = ({
      disaggregatedParams: params,
    }: GenerateRequest): { request: TransferRequest; proof: Meta } => {
      const { ctxRequestId = 0n, encodedOpaqueState = '', ctxInfoEndpoint = '' } = params ?? {};
      return {
        request: { ctxRequestId, encodedOpaqueState, ctxInfoEndpoint },
        proof: handoffMeta({ ctxInfoEndpoint, encodedOpaqueState }),
      };
    };

    it('nothing unsigned, and no one else’s signature', async () => {
      const { leg } = await handedOver('pulled');
      const { request } = transferOf(leg);
      const other = transferOf((await handedOver('other')).leg);
      const context = cluster.worker('context-0');
      for (const meta of [{}, other.proof, { [DISAGG_AUTH]: 'sha256=00' }]) {
        await expect(context.pull({ ...request, skipTokens: 0, awaited: false }, meta)).rejects.toMatchObject(
          NO_HANDOFF,
        );
        await expect(context.release(request, meta)).rejects.toMatchObject(NO_HANDOFF);
      }
      const empty = { ctxRequestId: request.ctxRequestId, encodedOpaqueState: '', ctxInfoEndpoint: '' };
      await expect(context.pull({ ...empty, skipTokens: 0, awaited: false })).rejects.toMatchObject(NO_HANDOFF);
    });

    it('signed: the cache once more and once more, until it is released, once', async () => {
      const { leg } = await handedOver('fetched');
      const { request, proof } = transferOf(leg);
      const context = cluster.worker('context-0');
      const first = await context.pull({ ...request, skipTokens: 0, awaited: false }, proof);
      const again = await context.pull({ ...request, skipTokens: 0, awaited: false }, proof);
      expect(first.at(-1)?.trailer).toEqual(again.at(-1)?.trailer);
      expect(Number(first.at(-1)?.trailer?.numBytes)).toBeGreaterThan(0);
      expect(await context.release(request, proof)).toEqual({ released: true });
      expect(await context.release(request, proof)).toEqual({ released: false });
      const gone = context.pull({ ...request, skipTokens: 0, awaited: false }, proof);
      await expect(gone).rejects.toMatchObject({ code: 'kv_cache_gone' });
    });

    it('signed for one request: not the cache of another', async () => {
      const { request, proof } = transferOf((await handedOver('mine')).leg);
      const { request: other } = transferOf((await handedOver('yours')).leg);
      const crossed = { ...request, ctxRequestId: other.ctxRequestId, skipTokens: 0, awaited: false };
      await expect(cluster.worker('context-0').pull(crossed, proof)).rejects.toMatchObject({ code: 'kv_cache_gone' });
    });
  });

  it('an edge with another key gets 400 from the workers, and so does its client', async () => {
    const url = await cluster.addEdge('edge-forger', {}, 'another-key');
    const asChild = { headers: { 'x-session-id': 'child', [PARENT_HEADER]: 'parent' } };
    const affinity = await chat(url, promptOn('forger'), { max_tokens: 8 }, asChild);
    expect(affinity).toMatchObject({
      status: 400,
      error: { code: 'invalid_affinity_auth', message: 'Invalid internal subagent affinity authentication' },
    });
    for (const stream of [false, true]) {
      const handoff = await chat(url, promptOn('forger'), { max_tokens: 8, stream });
      expect(handoff).toMatchObject({
        status: 400,
        error: { code: 'invalid_handoff_auth', message: 'Invalid internal disaggregated request authentication' },
      });
    }
    await cluster.settled(url);
  });
});

interface TransferRequest {
  readonly ctxRequestId: bigint;
  readonly encodedOpaqueState: string;
  readonly ctxInfoEndpoint: string;
}

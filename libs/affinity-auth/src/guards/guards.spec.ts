// Owns: the guards as Nest runs them; 8.2.4, 8.2.10-8.2.12 over gRPC messages and metadata.
import { type Metadata as GrpcMetadata, Metadata, status } from '@grpc/grpc-js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import type { RpcException } from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import {
  DISAGG_AUTH,
  DisaggregatedParams,
  GenerateRequest,
  PrefillRequest,
  PullRequest,
  ReleaseRequest,
  SUBAGENT_AFFINITY_AUTH,
  SUBAGENT_AFFINITY_ID,
} from '@roost/protocol';

import { signAffinity } from '../affinity-signature.js';
import { signHandoff } from '../handoff-signature.js';
import { writeMetadata } from '../metadata-value.js';
import type { ServerRole } from '../server-role.js';

import { AFFINITY_AUTH_OPTIONS, type AffinityAuthOptions } from './affinity-auth-options.js';
import { AffinityGuard } from './affinity.guard.js';
import { HandoffGuard } from './handoff.guard.js';
import { VerifiedAffinity } from './verified-affinity.js';

const KEY = 'secret';
const ID = 9007199254740993n;
const STATE = { ctxInfoEndpoint: '10.0.0.1:5000', encodedOpaqueState: 'b3BhcXVl' };
const INVALID_AFFINITY = 'Invalid internal subagent affinity authentication';
const INVALID_HANDOFF = 'Invalid internal disaggregated request authentication';

let warnings: string[];
beforeEach(() => {
  warnings = [];
});

async function guards(
  change: Partial<AffinityAuthOptions> = {},
): Promise<{ affinity: AffinityGuard; handoff: HandoffGuard; verified: VerifiedAffinity }> {
  const options: AffinityAuthOptions = { keys: [KEY], role: null, warn: (text) => warnings.push(text), ...change };
  const module = await Test.createTestingModule({
    providers: [AffinityGuard, HandoffGuard, VerifiedAffinity, { provide: AFFINITY_AUTH_OPTIONS, useValue: options }],
  }).compile();
  return {
    affinity: module.get(AffinityGuard),
    handoff: module.get(HandoffGuard),
    verified: module.get(VerifiedAffinity),
  };
}

function call(message: object, metadata: GrpcMetadata): ExecutionContext {
  return { switchToRpc: () => ({ getData: () => message, getContext: () => metadata }) } as unknown as ExecutionContext;
}

function metadataOf(values: Record<string, string>): GrpcMetadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(values)) writeMetadata(metadata, key, value);
  return metadata;
}

/** A message as it is after the wire. */
function prefill(conversationId = 'child'): PrefillRequest {
  const params = { requestType: 'context_only', disaggRequestId: ID };
  return PrefillRequest.decode(
    PrefillRequest.encode(
      PrefillRequest.fromPartial({ model: 'm', conversationId, disaggregatedParams: params }),
    ).finish(),
  );
}

function proof(conversationId: string, parent: string, role: ServerRole = 'CONTEXT'): GrpcMetadata {
  const payload = { model: 'm', conversationId, subagentAffinityId: parent, requestType: 'context_only', role };
  const signature = signAffinity(KEY, { ...payload, disaggRequestId: ID });
  return metadataOf({ [SUBAGENT_AFFINITY_ID]: parent, [SUBAGENT_AFFINITY_AUTH]: signature });
}

function refusalOf(run: () => unknown): { code: status; message: string; metadata: GrpcMetadata } {
  try {
    run();
  } catch (error) {
    return (error as RpcException).getError() as { code: status; message: string; metadata: GrpcMetadata };
  }
  throw new Error('nothing was refused');
}

describe('the affinity guard', () => {
  it.each([
    ['child', 'parent'],
    ['kind-\u00e9-\u{1f600}', 'vater-\u00fc'],
  ])('8.2.10: leaves the proved parent session of %p for the handler', async (child, parent) => {
    const { affinity, verified } = await guards({ role: 'CONTEXT' });
    const request = prefill(child);
    expect(affinity.canActivate(call(request, proof(child, parent)))).toBe(true);
    expect(verified.of(request)).toBe(parent);
  });

  it('lets no handler read the parent session of a request that it has not seen, or has refused', async () => {
    const { affinity, verified } = await guards({ role: 'CONTEXT' });
    const request = prefill();
    expect(() => verified.of(request)).toThrow('AffinityGuard has not run');
    expect(() => affinity.canActivate(call(request, proof('other', 'parent')))).toThrow();
    expect(() => verified.of(request)).toThrow('AffinityGuard has not run');
  });

  it('refuses with a status that keeps its code, text and trailer', async () => {
    const { affinity } = await guards({ role: 'CONTEXT' });
    const refusal = refusalOf(() => affinity.canActivate(call(prefill(), proof('child', 'parent', 'GENERATION'))));
    expect(refusal).toMatchObject({ code: status.INVALID_ARGUMENT, message: INVALID_AFFINITY });
    expect(refusal.metadata.get('roost-error-code')).toEqual(['invalid_affinity_auth']);
  });

  it('8.2.12: refuses a claim without proof, with and without a key', async () => {
    const metadata = metadataOf({ [SUBAGENT_AFFINITY_ID]: 'parent' });
    const withKey = await guards({ role: 'GENERATION' });
    const without = await guards({ role: 'GENERATION', keys: [] });
    const refused = (guard: AffinityGuard): string =>
      refusalOf(() => guard.canActivate(call(prefill(), metadata))).message;
    expect(refused(withKey.affinity)).toBe(INVALID_AFFINITY);
    expect(refused(without.affinity)).toBe('Subagent affinity requires internal_request_auth_key');
  });

  it('refuses a claim that is given in two ways', async () => {
    const { affinity } = await guards({ role: 'CONTEXT' });
    const metadata = proof('child', 'parent');
    metadata.set(`${SUBAGENT_AFFINITY_ID}-bin`, Buffer.from('victim'));
    expect(refusalOf(() => affinity.canActivate(call(prefill(), metadata))).code).toBe(status.INVALID_ARGUMENT);
  });

  it('8.2.11: ignores whatever comes with a request that is served whole', async () => {
    const { affinity, verified } = await guards({ keys: [] });
    const request = GenerateRequest.fromPartial({ model: 'm', conversationId: 'child' });
    const metadata = proof('child', 'parent');
    metadata.set(`${SUBAGENT_AFFINITY_ID}-bin`, Buffer.from([0xff]));
    expect(affinity.canActivate(call(request, metadata))).toBe(true);
    expect(verified.of(request)).toBeNull();
  });

  it('lets a request without a parent session pass', async () => {
    const { affinity, verified } = await guards({ role: 'CONTEXT' });
    const request = prefill();
    affinity.canActivate(call(request, new Metadata()));
    expect(verified.of(request)).toBeNull();
  });
});

describe('the handoff guard', () => {
  const generate = GenerateRequest.fromPartial({
    model: 'm',
    disaggregatedParams: DisaggregatedParams.fromPartial({ requestType: 'generation_only', ...STATE }),
  });
  const messages = [
    ['Generate', generate],
    ['Pull', PullRequest.fromPartial({ ctxRequestId: ID, ...STATE })],
    ['Release', ReleaseRequest.fromPartial({ ctxRequestId: ID, ...STATE })],
  ] as const;
  const signed = metadataOf({ [DISAGG_AUTH]: signHandoff(KEY, STATE) });

  it.each(messages)('8.2.4: lets a signed %s pass', async (_, message) => {
    const { handoff } = await guards();
    expect(handoff.canActivate(call(message, signed))).toBe(true);
    expect(warnings).toEqual([]);
  });

  it.each(messages)('refuses a %s that is not signed, or signed for another handoff', async (_, message) => {
    const { handoff } = await guards();
    const other = metadataOf({ [DISAGG_AUTH]: signHandoff(KEY, { ...STATE, ctxInfoEndpoint: 'evil:1' }) });
    for (const metadata of [new Metadata(), other]) {
      const refusal = refusalOf(() => handoff.canActivate(call(message, metadata)));
      expect(refusal).toMatchObject({ code: status.INVALID_ARGUMENT, message: INVALID_HANDOFF });
      expect(refusal.metadata.get('roost-error-code')).toEqual(['invalid_handoff_auth']);
    }
  });

  it.each([
    ['Pull', PullRequest.fromPartial({ ctxRequestId: ID })],
    ['Release', ReleaseRequest.fromPartial({ ctxRequestId: ID })],
  ])('refuses an unsigned %s that names nothing but an id', async (_, message) => {
    const { handoff } = await guards();
    expect(refusalOf(() => handoff.canActivate(call(message, new Metadata()))).message).toBe(INVALID_HANDOFF);
  });

  it('takes an empty field of a Pull for an absent one', async () => {
    const { handoff } = await guards();
    const stateOnly = { ctxInfoEndpoint: null, encodedOpaqueState: STATE.encodedOpaqueState };
    const metadata = metadataOf({ [DISAGG_AUTH]: signHandoff(KEY, stateOnly) });
    const message = PullRequest.fromPartial({ encodedOpaqueState: STATE.encodedOpaqueState });
    expect(handoff.canActivate(call(message, metadata))).toBe(true);
  });

  it('8.2.1: asks nothing of a leg without protected fields', async () => {
    const { handoff } = await guards();
    expect(handoff.canActivate(call(prefill(), new Metadata()))).toBe(true);
    expect(handoff.canActivate(call(GenerateRequest.fromPartial({}), new Metadata()))).toBe(true);
  });

  it('8.2.3: warns once, not per request, on a worker without a key', async () => {
    const { handoff } = await guards({ keys: [] });
    for (const [, message] of messages) expect(handoff.canActivate(call(message, new Metadata()))).toBe(true);
    expect(warnings).toHaveLength(1);
  });

  it('8.2.9: refuses on a worker that cannot take over caches', async () => {
    const { handoff } = await guards({ hasCacheTransceiver: false });
    expect(refusalOf(() => handoff.canActivate(call(generate, signed))).message).toContain('cache_transceiver_config');
  });
});

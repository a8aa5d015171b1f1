// Owns: reference 4.3 (its vectors are repeated here), 8.2.2, 8.2.4-8.2.8, 8.2.13, 8.2.15; key rotation.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { type AffinityPayload, signAffinity, verifyAffinity } from './affinity-signature.js';
import { type HandoffPayload, isProtected, signHandoff, verifyHandoff } from './handoff-signature.js';

const KEY = 'secret';
const PAYLOAD: AffinityPayload = {
  role: 'CONTEXT',
  model: 'test-model',
  conversationId: 'child',
  subagentAffinityId: 'parent',
  requestType: 'context_only',
  disaggRequestId: 42n,
};
const HANDOFF: HandoffPayload = { ctxInfoEndpoint: 'tcp://10.0.0.1:5000', encodedOpaqueState: 'b3BhcXVl' };

describe('affinity signatures', () => {
  it.each<[string, Partial<AffinityPayload>, string]>([
    ['a context leg', {}, '62c51cfa1713d6ad8cb87f9615f46c9beb492bddb8aa3904e57feb446e0b307e'],
    [
      'a generation leg',
      { role: 'GENERATION', requestType: 'generation_only' },
      'a54f9315079d95e2ef62450564e610f8364d0f5f1e1c1a98b9813f1a5b8023e9',
    ],
    ['another request', { disaggRequestId: 43n }, '0b8f1d3f5b9deab2dfd89bcfd7c96d064885e522594211a1d750326624f604d6'],
    [
      'text outside ASCII and an id beyond 2^53',
      { conversationId: 'kind-\u00e9-\u{1f600}\u007f', disaggRequestId: 548424870944926123n },
      'c995776b7716e49ed40c210a46c3b1630c19c27cde218d4301d9bd9c1693dfc7',
    ],
  ])('are byte for byte the published ones: %s', (_, change, hex) => {
    expect(signAffinity(KEY, { ...PAYLOAD, ...change })).toBe(`sha256=${hex}`);
  });

  it('do not depend on white space around the parent session', () => {
    const padded = { ...PAYLOAD, subagentAffinityId: ' \u0085\u001c\u3000parent\t\u00a0' };
    expect(signAffinity(KEY, padded)).toBe(signAffinity(KEY, PAYLOAD));
    const marked = { ...PAYLOAD, subagentAffinityId: '\ufeffparent' };
    expect(signAffinity(KEY, marked)).not.toBe(signAffinity(KEY, PAYLOAD));
  });

  it.each<Partial<AffinityPayload>>([
    { subagentAffinityId: 'parent2' },
    { conversationId: 'child2' },
    { conversationId: null },
    { role: 'GENERATION' },
    { model: 'other' },
    { requestType: 'generation_only' },
    { requestType: null },
    { disaggRequestId: 43n },
    { disaggRequestId: null },
  ])('8.2.13: do not verify after %p', (change) => {
    const signature = signAffinity(KEY, PAYLOAD);
    expect(verifyAffinity([KEY], PAYLOAD, signature)).toBe(true);
    expect(verifyAffinity([KEY], { ...PAYLOAD, ...change }, signature)).toBe(false);
  });

  it.each(['', 'sha256=', 'sha256=\u00e9', '\ud800', 'sha256=62c51cfa', '\u00e9'.repeat(71)])(
    '8.2.13: %p is not one',
    (signature) => {
      expect(verifyAffinity([KEY], PAYLOAD, signature)).toBe(false);
    },
  );

  it('bind ids beyond 2^53 to the last digit', () => {
    const id = 2n ** 53n;
    const signature = signAffinity(KEY, { ...PAYLOAD, disaggRequestId: id });
    expect(verifyAffinity([KEY], { ...PAYLOAD, disaggRequestId: id + 1n }, signature)).toBe(false);
  });

  it('verify under every listed key and no other', () => {
    const signature = signAffinity('old', PAYLOAD);
    expect(verifyAffinity(['new', 'old'], PAYLOAD, signature)).toBe(true);
    expect(verifyAffinity(['old', 'new'], PAYLOAD, signature)).toBe(true);
    expect(verifyAffinity(['new'], PAYLOAD, signature)).toBe(false);
    expect(verifyAffinity([], PAYLOAD, signature)).toBe(false);
  });

  it('are not made or verified with an empty key', () => {
    expect(() => signAffinity('', PAYLOAD)).toThrow(RangeError);
    expect(() => verifyAffinity([KEY, ''], PAYLOAD, 'x')).toThrow(RangeError);
  });

  it('do not verify with any one character changed', () => {
    const signature = signAffinity(KEY, PAYLOAD);
    fc.assert(
      fc.property(
        fc.nat(signature.length - 1),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        (at, unit) => {
          fc.pre(unit !== signature[at]);
          const forged = signature.slice(0, at) + unit + signature.slice(at + 1);
          expect(verifyAffinity([KEY], PAYLOAD, forged)).toBe(false);
        },
      ),
    );
  });
});

describe('handoff signatures', () => {
  it.each<[HandoffPayload, string]>([
    [
      { ctxInfoEndpoint: null, encodedOpaqueState: 'b3BhcXVl' },
      'dd0226a7360fb1d422781ed05d4db132774395583e9f79091e0113371cae3257',
    ],
    [
      { ctxInfoEndpoint: 'tcp://10.0.0.1:5000', encodedOpaqueState: null },
      '9f231f1556947f2cc0d68b742964cb16e8662f6b41262d536be4f2692f786130',
    ],
    [HANDOFF, '2c855337a244b082618df980f3ca112bdd1d90f76609d813aef90813a9cf64b9'],
  ])('are byte for byte the published ones: %p', (payload, hex) => {
    expect(signHandoff(KEY, payload)).toBe(`sha256=${hex}`);
  });

  it('8.2.2: protect exactly the endpoint and the opaque state', () => {
    expect(isProtected({ ctxInfoEndpoint: null, encodedOpaqueState: null })).toBe(false);
    expect(isProtected({ ctxInfoEndpoint: 'a', encodedOpaqueState: null })).toBe(true);
    expect(isProtected({ ctxInfoEndpoint: null, encodedOpaqueState: '' })).toBe(true);
  });

  it('8.2.4: take a list of endpoints for its first', () => {
    const listed = { ...HANDOFF, ctxInfoEndpoint: ['tcp://10.0.0.1:5000', 'tcp://10.0.0.2:5000'] };
    expect(verifyHandoff([KEY], HANDOFF, signHandoff(KEY, listed))).toBe(true);
    expect(signHandoff(KEY, { ...HANDOFF, ctxInfoEndpoint: [] })).toBe(
      signHandoff(KEY, { ...HANDOFF, ctxInfoEndpoint: null }),
    );
  });

  it.each<[string, HandoffPayload, string]>([
    ['8.2.6: a changed state', { ...HANDOFF, encodedOpaqueState: 'b3BhcXVm' }, signHandoff(KEY, HANDOFF)],
    ['8.2.6: a changed endpoint', { ...HANDOFF, ctxInfoEndpoint: 'tcp://evil:1' }, signHandoff(KEY, HANDOFF)],
    ['8.2.7: a signature outside ASCII', HANDOFF, 'sha256=\u00e9'],
    ['8.2.8: no signature', HANDOFF, ''],
    ['another key', HANDOFF, signHandoff('other', HANDOFF)],
  ])('do not verify: %s', (_, payload, signature) => {
    expect(verifyHandoff([KEY], payload, signature)).toBe(false);
  });
});

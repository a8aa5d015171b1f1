// Owns: reference 5 ("validate logic"), 8.2.1, 8.2.3, 8.2.9, 8.2.11-8.2.15.
import { describe, expect, it } from '@jest/globals';

import { acceptAffinity, type AffinityClaim } from './accept-affinity.js';
import { acceptHandoff, type HandoffClaim } from './accept-handoff.js';
import { signAffinity } from './affinity-signature.js';
import { signHandoff } from './handoff-signature.js';
import type { ServerRole } from './server-role.js';

const KEY = 'secret';
const INVALID_AFFINITY = 'Invalid internal subagent affinity authentication';
const INVALID_HANDOFF = 'Invalid internal disaggregated request authentication';

function claim(change: Partial<AffinityClaim> = {}, signedFor: ServerRole = 'CONTEXT'): AffinityClaim {
  const fields = {
    model: 'test-model',
    conversationId: 'child',
    requestType: signedFor === 'CONTEXT' ? 'context_only' : 'generation_only',
    disaggRequestId: 42n,
  };
  const signature = signAffinity(KEY, { ...fields, role: signedFor, subagentAffinityId: 'parent' });
  return {
    ...fields,
    keys: [KEY],
    role: signedFor,
    hasDisaggregatedParams: true,
    affinityId: 'parent',
    signature,
    ...change,
  };
}

describe('a claimed parent session', () => {
  it.each<ServerRole>(['CONTEXT', 'GENERATION'])('8.2.10: is accepted for %s when proved', (role) => {
    expect(acceptAffinity(claim({}, role))).toBe('parent');
  });

  it('is accepted stripped', () => {
    expect(acceptAffinity(claim({ affinityId: '  parent ' }))).toBe('parent');
  });

  it.each<ServerRole>(['CONTEXT', 'GENERATION'])(
    'is judged as %s by its request type when the worker has no role',
    (role) => {
      expect(acceptAffinity(claim({ role: null }, role))).toBe('parent');
      expect(() => acceptAffinity(claim({ role: null, signature: 'sha256=0' }, role))).toThrow(INVALID_AFFINITY);
    },
  );

  it.each([[[]], [[KEY]]])('8.2.11: is ignored when the request is served whole, keys %p', (keys) => {
    const whole = { keys, role: null, hasDisaggregatedParams: false, requestType: null };
    expect(acceptAffinity(claim(whole))).toBeNull();
    expect(acceptAffinity(claim({ ...whole, signature: 'garbage \u00e9' }))).toBeNull();
    expect(acceptAffinity(claim({ ...whole, hasDisaggregatedParams: true, requestType: 'something' }))).toBeNull();
  });

  it('8.2.12: is refused without proof, or without a key to check it with', () => {
    expect(() => acceptAffinity(claim({ signature: null }))).toThrow(
      expect.objectContaining({ code: 'invalid_affinity_auth', message: INVALID_AFFINITY }),
    );
    expect(() => acceptAffinity(claim({ keys: [] }))).toThrow(
      expect.objectContaining({
        code: 'invalid_affinity_auth',
        message: 'Subagent affinity requires internal_request_auth_key',
      }),
    );
  });

  it.each<Partial<AffinityClaim>>([
    { affinityId: 'other' },
    { conversationId: 'other' },
    { role: 'GENERATION' },
    { model: 'other' },
    { requestType: 'generation_only' },
    { disaggRequestId: 43n },
    { signature: 'sha256=\u00e9' },
    { keys: ['other'] },
  ])('8.2.13: is refused after %p', (change) => {
    expect(() => acceptAffinity(claim(change))).toThrow(INVALID_AFFINITY);
  });

  it.each([null, '', ' \t '])('8.2.14: is none when it is %p, key or not', (affinityId) => {
    expect(acceptAffinity(claim({ affinityId }))).toBeNull();
    expect(acceptAffinity(claim({ affinityId, keys: [], signature: null }))).toBeNull();
  });
});

describe('a handoff', () => {
  const fields = { ctxInfoEndpoint: 'tcp://10.0.0.1:5000', encodedOpaqueState: 'b3BhcXVl' };
  const signed: HandoffClaim = { ...fields, keys: [KEY], signature: signHandoff(KEY, fields) };

  it('is accepted without a word when proved', () => {
    expect(acceptHandoff(signed)).toEqual({});
    expect(acceptHandoff({ ...signed, keys: ['new', KEY] })).toEqual({});
  });

  it.each([[[]], [[KEY]]])('8.2.1: needs no proof without protected fields, keys %p', (keys) => {
    expect(acceptHandoff({ ctxInfoEndpoint: null, encodedOpaqueState: null, keys, signature: null })).toEqual({});
  });

  it('needs proof even without protected fields where the call is about nothing else', () => {
    const empty = { ctxInfoEndpoint: null, encodedOpaqueState: null, signature: null, required: true };
    expect(() => acceptHandoff({ ...empty, keys: [KEY] })).toThrow(INVALID_HANDOFF);
    expect(acceptHandoff({ ...empty, keys: [] }).warning).toMatch(/internal_request_auth_key/);
  });

  it.each<Partial<HandoffClaim>>([{ ctxInfoEndpoint: null }, { encodedOpaqueState: null }, {}])(
    '8.2.3: is accepted with a warning by a worker without a key: %p',
    (change) => {
      expect(acceptHandoff({ ...signed, ...change, keys: [] }).warning).toMatch(/internal_request_auth_key/);
    },
  );

  it.each<Partial<HandoffClaim>>([
    { encodedOpaqueState: 'b3BhcXVm' },
    { ctxInfoEndpoint: null },
    { signature: null },
    { signature: 'sha256=\u00e9' },
    { keys: ['other'] },
  ])('8.2.6-8.2.8: is refused after %p', (change) => {
    expect(() => acceptHandoff({ ...signed, ...change })).toThrow(
      expect.objectContaining({ code: 'invalid_handoff_auth', message: INVALID_HANDOFF }),
    );
  });

  it('8.2.9: is refused by a worker that cannot take over caches', () => {
    expect(() => acceptHandoff({ ...signed, hasCacheTransceiver: false })).toThrow(/cache_transceiver_config/);
  });

  it('8.2.15: is proved apart from the parent session; both hold together', () => {
    const leg = claim({}, 'GENERATION');
    expect(acceptAffinity(leg)).toBe('parent');
    expect(acceptHandoff(signed)).toEqual({});
    expect(leg.signature).not.toBe(signed.signature);
  });
});

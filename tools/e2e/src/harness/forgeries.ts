import { SUBAGENT_AFFINITY_AUTH, SUBAGENT_AFFINITY_ID } from '@roost/protocol';

import { affinityMeta, type Claim, nextRequestId } from './leg-messages.js';
import type { Meta } from './worker-client.js';

/** A proof of a parent session that must be refused: in words, and made from the claim that it pretends to prove. */
export type Forgery = [what: string, forge: (claim: Claim) => Meta];

/** Every {@link Forgery} that is tried. */
export function forgeries(): Forgery[] {
  return [
    ['without a signature', ({ subagentAffinityId }) => ({ [SUBAGENT_AFFINITY_ID]: subagentAffinityId })],
    ['signed with another key', (claim) => affinityMeta(claim.subagentAffinityId, claim, 'guess')],
    ['signed for another parent', (claim) => affinityMeta('victim', claim)],
    ['signed for another conversation', (claim) => signedFor(claim, { conversationId: 'somebody' })],
    ['signed for no conversation', (claim) => signedFor(claim, { conversationId: null })],
    ['signed for another model', (claim) => signedFor(claim, { model: 'other' })],
    ['signed for another request type', (claim) => signedFor(claim, { requestType: null })],
    ['signed for another request', (claim) => signedFor(claim, { disaggRequestId: nextRequestId() })],
    ['signed for no request', (claim) => signedFor(claim, { disaggRequestId: null })],
    [
      'signed for the other role',
      (claim) => signedFor(claim, { role: claim.role === 'CONTEXT' ? 'GENERATION' : 'CONTEXT' }),
    ],
    ['signed in capitals', (claim) => edited(claim, (signature) => signature.toUpperCase())],
    ['signed without the prefix', (claim) => edited(claim, (signature) => signature.slice('sha256='.length))],
    ['signed in part', (claim) => edited(claim, (signature) => signature.slice(0, -1))],
    ['signed with more', (claim) => edited(claim, (signature) => `${signature}0`)],
    ['with an empty signature', (claim) => edited(claim, () => '')],
    [
      'with a signature outside ASCII',
      ({ subagentAffinityId }) => ({
        [SUBAGENT_AFFINITY_ID]: subagentAffinityId,
        [`${SUBAGENT_AFFINITY_AUTH}-bin`]: Buffer.from('sha256=é'.padEnd(71, 'é')),
      }),
    ],
  ];
}

function signedFor(claim: Claim, change: Partial<Claim>): Meta {
  return affinityMeta(claim.subagentAffinityId, { ...claim, ...change });
}

function edited(claim: Claim, edit: (signature: string) => string): Meta {
  const meta = affinityMeta(claim.subagentAffinityId, claim);
  return { ...meta, [SUBAGENT_AFFINITY_AUTH]: edit(String(meta[SUBAGENT_AFFINITY_AUTH])) };
}

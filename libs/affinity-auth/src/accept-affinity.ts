import { RoostError } from '@roost/protocol';

import { verifyAffinity } from './affinity-signature.js';
import { decideRole, type RoleQuestion } from './server-role.js';
import { stripWhiteSpace } from './white-space.js';

/** What a worker has been told of a leg, none of it trusted yet. */
export interface AffinityClaim extends RoleQuestion {
  /** Each verifies; none means that the worker has no key. */
  readonly keys: readonly string[];
  readonly model: string;
  readonly conversationId: string | null;
  /** 63-bit. */
  readonly disaggRequestId: bigint | null;
  /** `x-trtllm-subagent-affinity-id` as it came. */
  readonly affinityId: string | null;
  /** `x-trtllm-subagent-affinity-auth` as it came. */
  readonly signature: string | null;
}

/**
 * The parent session that a worker may place a leg by, or null when there is none to obey (reference 5, "validate logic").
 * A request that is served whole has none, whatever came with it.
 *
 * @throws RoostError `invalid_affinity_auth` when a parent session is claimed and not proved
 */
export function acceptAffinity(claim: AffinityClaim): string | null {
  const role = decideRole(claim);
  const subagentAffinityId = stripWhiteSpace(claim.affinityId ?? '');
  if (role === null || subagentAffinityId === '') return null;
  if (claim.keys.length === 0) {
    throw new RoostError('invalid_affinity_auth', 'Subagent affinity requires internal_request_auth_key');
  }
  if (!verifyAffinity(claim.keys, { ...claim, role, subagentAffinityId }, claim.signature ?? '')) {
    throw new RoostError('invalid_affinity_auth', 'Invalid internal subagent affinity authentication');
  }
  return subagentAffinityId;
}

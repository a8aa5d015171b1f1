import { SUBAGENT_AFFINITY_ID } from '@roost/protocol';

import { canonicalJson } from './canonical-json.js';
import { sign, verify } from './hmac-signature.js';
import type { ServerRole } from './server-role.js';
import { stripWhiteSpace } from './white-space.js';

/** What an affinity signature binds a parent session to: one leg of one request of one conversation. */
export interface AffinityPayload {
  /** The role of the worker that the leg goes to. */
  readonly role: ServerRole;
  readonly model: string;
  /** The sub-agent's own conversation. */
  readonly conversationId: string | null;
  /** The parent session; white space around it does not count. */
  readonly subagentAffinityId: string;
  /** `request_type` of the leg's disaggregated params; null when it has none. */
  readonly requestType: string | null;
  /** 63-bit; null when the leg has no disaggregated params. */
  readonly disaggRequestId: bigint | null;
}

/** The text that an affinity signature signs (reference 4.3). */
export function affinityJson(payload: AffinityPayload): string {
  return canonicalJson({
    conversation_id: payload.conversationId,
    disagg_request_id: payload.disaggRequestId,
    model: payload.model,
    purpose: SUBAGENT_AFFINITY_ID,
    request_type: payload.requestType,
    role: payload.role,
    subagent_affinity_id: stripWhiteSpace(payload.subagentAffinityId),
  });
}

/**
 * The value of `x-trtllm-subagent-affinity-auth` for a leg (reference 4.3).
 *
 * @throws RangeError for an empty key
 */
export function signAffinity(key: string, payload: AffinityPayload): string {
  return sign(key, affinityJson(payload));
}

/**
 * Whether one of `keys` signed this very payload; in constant time for a signature of the right length.
 *
 * @throws RangeError for an empty key
 */
export function verifyAffinity(keys: readonly string[], payload: AffinityPayload, signature: string): boolean {
  return verify(keys, affinityJson(payload), signature);
}

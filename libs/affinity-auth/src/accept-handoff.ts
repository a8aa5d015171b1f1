import { RoostError } from '@roost/protocol';

import { type HandoffPayload, isProtected, verifyHandoff } from './handoff-signature.js';

/** What a worker has been told of a handoff, none of it trusted yet. */
export interface HandoffClaim extends HandoffPayload {
  /** Each verifies; none means that the worker has no key. */
  readonly keys: readonly string[];
  /** `x-trtllm-disagg-auth` as it came. */
  readonly signature: string | null;
  /** Whether the call is about nothing but a handoff, so that one without protected fields needs a signature too. Default false. */
  readonly required?: boolean;
  /** Whether the worker is configured to take over KV caches. Default true. */
  readonly hasCacheTransceiver?: boolean;
}

/** A handoff may be used; the warning, when there is one, says why that is not safe. */
export interface AcceptedHandoff {
  readonly warning?: string;
}

/**
 * Lets a worker use the protected fields of a handoff (reference 4.3 and 5). Without a key everything is accepted with a
 * warning, as long as deployments without keys are still supported.
 *
 * @throws RoostError `invalid_handoff_auth` when the worker has a key and the fields are not signed with it;
 * `invalid_request` when the worker has no `cache_transceiver_config` to use them with
 */
export function acceptHandoff(claim: HandoffClaim): AcceptedHandoff {
  if (!isProtected(claim) && claim.required !== true) return {};
  if (claim.hasCacheTransceiver === false) {
    throw new RoostError(
      'invalid_request',
      'A KV cache cannot be handed over: the worker has no cache_transceiver_config',
    );
  }
  if (claim.keys.length === 0) {
    return {
      warning:
        'Handoff fields of a request are accepted without proof of who set them, because no ' +
        'internal_request_auth_key is configured; a later version will refuse them',
    };
  }
  if (!verifyHandoff(claim.keys, claim, claim.signature ?? '')) {
    throw new RoostError('invalid_handoff_auth', 'Invalid internal disaggregated request authentication');
  }
  return {};
}

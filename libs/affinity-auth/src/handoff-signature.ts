import { canonicalJson } from './canonical-json.js';
import { sign, verify } from './hmac-signature.js';

/** The fields of a handoff that only an edge may set: they tell a worker where to fetch memory from (reference 8.2). */
export interface HandoffPayload {
  /** A list stands for its first element. */
  readonly ctxInfoEndpoint: string | readonly string[] | null;
  /** Base64. */
  readonly encodedOpaqueState: string | null;
}

/** The text that a handoff signature signs (reference 4.3). Conversation data is left out of it on purpose. */
export function handoffJson(payload: HandoffPayload): string {
  const endpoint = payload.ctxInfoEndpoint;
  return canonicalJson({
    ctx_info_endpoint: typeof endpoint === 'string' ? endpoint : (endpoint?.[0] ?? null),
    encoded_opaque_state: payload.encodedOpaqueState,
  });
}

/** Whether there is anything in a handoff that needs a signature. */
export function isProtected(payload: HandoffPayload): boolean {
  return payload.ctxInfoEndpoint !== null || payload.encodedOpaqueState !== null;
}

/**
 * The value of `x-trtllm-disagg-auth` for a handoff (reference 4.3).
 *
 * @throws RangeError for an empty key
 */
export function signHandoff(key: string, payload: HandoffPayload): string {
  return sign(key, handoffJson(payload));
}

/**
 * Whether one of `keys` signed this very handoff; in constant time for a signature of the right length.
 *
 * @throws RangeError for an empty key
 */
export function verifyHandoff(keys: readonly string[], payload: HandoffPayload, signature: string): boolean {
  return verify(keys, handoffJson(payload), signature);
}

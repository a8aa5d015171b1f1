/** Names of headers and gRPC metadata keys on every wire, lower case (reference 3.1 and 4.1). */

/** Carries the parent session to a worker; only ever set by an edge. */
export const SUBAGENT_AFFINITY_ID = 'x-trtllm-subagent-affinity-id';

/** Proves that an edge set {@link SUBAGENT_AFFINITY_ID} for this very request. */
export const SUBAGENT_AFFINITY_AUTH = 'x-trtllm-subagent-affinity-auth';

/** Proves that an edge set the handoff fields of a generation request. */
export const DISAGG_AUTH = 'x-trtllm-disagg-auth';

/** Headers that name a conversation, in order of precedence (reference 3.1). */
export const SESSION_HEADERS = [
  'x-claude-code-session-id',
  'x-claude-session-id',
  'x-session-id',
  'x-correlation-id',
  'x-session-affinity',
  'x-multi-turn-session-id',
] as const;

/** Names the worker that a leg is meant for, by what it says of itself: `incarnation` changes with every start of its process. */
export const WORKER_INCARNATION = 'roost-worker-incarnation';

/** Trailer of a failed call: the error's code in the table of errors. */
export const ERROR_CODE = 'roost-error-code';

/** Trailer of a failed call: the request field at fault, when one is. */
export const ERROR_PARAM = 'roost-error-param';

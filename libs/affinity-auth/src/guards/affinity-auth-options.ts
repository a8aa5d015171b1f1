import type { ServerRole } from '../server-role.js';

/** What was to be proved, and what was wrong with the proof; `no_key`: nothing can be proved to this worker. */
export interface ProofRefusal {
  readonly proof: 'affinity' | 'handoff';
  readonly reason: 'missing' | 'wrong' | 'no_key';
}

/** What the guards of one worker know and need. */
export interface AffinityAuthOptions {
  /** Every key that may have signed a request; none when the worker has no `internal_request_auth_key`. */
  readonly keys: readonly string[];
  /** The worker's configured role, or null. */
  readonly role: ServerRole | null;
  /** Told once when handoffs are accepted without proof. */
  readonly warn: (message: string) => void;
  /** Whether the worker is configured to take over KV caches. Default true. */
  readonly hasCacheTransceiver?: boolean;
  /** Told of every call that is refused for want of a proof. */
  readonly refused?: (refusal: ProofRefusal) => void;
}

/** The Nest token of {@link AffinityAuthOptions}. */
export const AFFINITY_AUTH_OPTIONS = Symbol('roost:affinity-auth-options');

/** The roles that take part in affinity, by the names that are signed (reference 1.6). */
export type ServerRole = 'CONTEXT' | 'GENERATION';

/** What is known of a worker and of one request when its role is decided. */
export interface RoleQuestion {
  /** The worker's configured role, or null. */
  readonly role: ServerRole | null;
  /** `request_type` of the request's disaggregated params, or null. */
  readonly requestType: string | null;
  readonly hasDisaggregatedParams: boolean;
}

/** The role that a worker plays for one request, or null when the request is served whole (reference 5, "validate logic"). */
export function decideRole(question: RoleQuestion): ServerRole | null {
  if (question.role !== null || !question.hasDisaggregatedParams) return question.role;
  if (question.requestType === 'context_only') return 'CONTEXT';
  return question.requestType === 'generation_only' ? 'GENERATION' : null;
}

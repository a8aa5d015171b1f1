/** What the edge says of its own configuration and state. */
export interface EdgeStatus {
  /** `conversation_affinity_header_for_subagents`, or null. */
  readonly parentHeader: string | null;
  readonly scope: 'context' | 'both';
  /** Whether the edge is going down. */
  draining: boolean;
}

/** The Nest token of {@link EdgeStatus}. */
export const EDGE_STATUS = Symbol('EDGE_STATUS');

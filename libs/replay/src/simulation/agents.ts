import type { RequestRef, TraceAgent } from '../trace/trace.js';

/** How far a request is: it was sent, its answer has begun, its answer is complete. */
export type Milestone = 'asked' | 'streaming' | 'answered';

/** What a request waits for: that others are so far, and then so many milliseconds more. */
export interface Wait {
  readonly for: readonly RequestRef[];
  readonly until: Milestone;
  readonly delay: number;
}

/**
 * What a request waits for; null when it comes at its recorded time. Where the trace does not say, it is the answer before,
 * and for a sub-agent's first one the request of its parent that was recorded last before it.
 *
 * @param index of the request of the agent
 */
export function waitOf(agent: TraceAgent, index: number): Wait | null {
  const request = agent.requests[index];
  if (request?.wait !== undefined) return request.wait.for.length === 0 ? null : request.wait;
  if (index === 0) return spawnOf(agent);
  return { for: [{ agent: agent.id, index: index - 1 }], until: 'answered', delay: request?.think ?? 0 };
}

function spawnOf({ parent, requests: [first] }: TraceAgent): Wait | null {
  if (parent === null || first === undefined) return null;
  const index = parent.requests.findLastIndex(({ recordedAt }) => recordedAt <= first.recordedAt);
  const asked = parent.requests[index];
  if (asked === undefined) return null;
  return { for: [{ agent: parent.id, index }], until: 'asked', delay: first.recordedAt - asked.recordedAt };
}

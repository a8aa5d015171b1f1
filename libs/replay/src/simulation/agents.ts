import type { TraceAgent, TraceSession } from '../trace/trace.js';

/** Where sub-agents start: each with the request of its parent that was recorded last before its own first one. */
export interface SpawnPlan {
  /** The agents that start with a request of an agent, by the request's index. */
  spawnedBy(agent: TraceAgent, request: number): readonly TraceAgent[];
  /** The agents that start with the session. */
  readonly roots: readonly TraceAgent[];
}

/** Finds for each agent of a session what it starts with. */
export function planSpawns({ agents }: TraceSession): SpawnPlan {
  const spawned = new Map<TraceAgent, Map<number, TraceAgent[]>>();
  const roots: TraceAgent[] = [];
  for (const agent of agents) {
    const { parent } = agent;
    const first = agent.requests[0]?.recordedAt ?? 0;
    const request = parent?.requests.findLastIndex(({ recordedAt }) => recordedAt <= first) ?? -1;
    if (parent === null || request === -1) {
      roots.push(agent);
      continue;
    }
    const ofParent = spawned.get(parent) ?? new Map<number, TraceAgent[]>();
    spawned.set(parent, ofParent.set(request, [...(ofParent.get(request) ?? []), agent]));
  }
  return { roots, spawnedBy: (agent, request) => spawned.get(agent)?.get(request) ?? [] };
}

import type { TraceAgent, TraceRequest, TraceSession } from '../trace.js';

import type { Dialect } from './generated-line.js';
import { type AgentFacts, linkAgents } from './link-agents.js';

/** An agent while its lines come in. */
export interface GrowingAgent extends AgentFacts {
  readonly type: string | null;
  readonly hasDoubleHeaders: boolean;
  readonly requests: TraceRequest[];
  /** Of its latest request. */
  blocks: Uint32Array;
}

/** A family while its lines come in. */
export interface GrowingFamily {
  /** Seconds from the trace's start. */
  readonly start: number;
  readonly dialect: Dialect;
  /** In the order of their first lines. */
  readonly agents: Map<string, GrowingAgent>;
}

/** The sessions of families, by their roots. What an agent says of its parent is kept where it is not so. */
export function finishFamilies(families: ReadonlyMap<string, GrowingFamily>): TraceSession[] {
  const conversations = new Map<string, string>();
  for (const [root, { agents }] of families)
    for (const agent of agents.keys()) conversations.set(agent, `${root}/${agent}`);
  return [...families].map(([root, { start, dialect, agents }]) => {
    const parents = linkAgents(agents);
    const finished = new Map<string, TraceAgent>();
    const finish = (id: string, growing: GrowingAgent): TraceAgent => {
      const known = finished.get(id);
      if (known !== undefined) return known;
      const parentId = parents.get(id);
      const parent = parentId === undefined ? undefined : agents.get(parentId);
      const claimed = growing.declaredParent;
      const agent: TraceAgent = {
        id,
        parent: parentId === undefined || parent === undefined ? null : finish(parentId, parent),
        type: growing.type,
        ...(claimed === (parentId ?? null)
          ? {}
          : { claimedParent: claimed === null ? null : (conversations.get(claimed) ?? claimed) }),
        ...(growing.hasDoubleHeaders ? { hasDoubleHeaders: true } : {}),
        requests: growing.requests,
      };
      finished.set(id, agent);
      return agent;
    };
    return {
      id: root,
      recordedStart: start * 1000,
      dialect,
      agents: [...agents].map(([id, growing]) => finish(id, growing)),
    };
  });
}

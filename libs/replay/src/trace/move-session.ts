import type { TraceAgent, TraceSession } from './trace.js';

/** The session under another id, with the numbers of its blocks so much higher. */
export function moveSession(session: TraceSession, id: string, blocks: number): TraceSession {
  const moved = new Map<TraceAgent, TraceAgent>();
  const moveAgent = (agent: TraceAgent): TraceAgent => {
    const known = moved.get(agent);
    if (known !== undefined) return known;
    const made = {
      ...agent,
      parent: agent.parent === null ? null : moveAgent(agent.parent),
      requests: agent.requests.map((request) => ({ ...request, added: request.added.map((block) => block + blocks) })),
    };
    moved.set(agent, made);
    return made;
  };
  return { ...session, id, agents: session.agents.map(moveAgent) };
}

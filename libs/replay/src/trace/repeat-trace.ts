import type { Trace, TraceAgent, TraceSession } from './trace.js';

/**
 * The trace with every session so many times, as different sessions that share no block with one another: more users of
 * the same habits.
 */
export function repeatTrace(trace: Trace, times: number): Trace {
  if (!Number.isSafeInteger(times) || times < 1)
    throw new RangeError(`a trace is repeated a whole number of times, not ${String(times)}`);
  return {
    ...trace,
    sessions: Array.from({ length: times }, (_, copy) =>
      trace.sessions.map((session) => (copy === 0 ? session : copyOf(session, copy, trace.numBlocks * copy))),
    ).flat(),
    numBlocks: trace.numBlocks * times,
    numRequests: trace.numRequests * times,
  };
}

function copyOf({ id, agents }: TraceSession, copy: number, firstBlock: number): TraceSession {
  const copies = new Map<TraceAgent, TraceAgent>();
  const copyAgent = (agent: TraceAgent): TraceAgent => {
    const known = copies.get(agent);
    if (known !== undefined) return known;
    const made = {
      ...agent,
      parent: agent.parent === null ? null : copyAgent(agent.parent),
      requests: agent.requests.map((request) => ({
        ...request,
        added: request.added.map((block) => block + firstBlock),
      })),
    };
    copies.set(agent, made);
    return made;
  };
  return { id: `${id}#${String(copy + 1)}`, agents: agents.map(copyAgent) };
}

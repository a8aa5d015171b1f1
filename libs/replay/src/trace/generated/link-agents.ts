/** What tells who has spawned an agent. */
export interface AgentFacts {
  /** Who it says has spawned it. */
  readonly declaredParent: string | null;
  /** Who asked what its first request waits for. */
  readonly waitsFor: string | null;
}

/**
 * The parents of a family's agents: the one that an agent declares, else the one that it waits for. One that is not of the
 * family, or would have an agent descend from itself, does not count; an agent without any is at the top.
 *
 * @param agents in the order of their first requests
 */
export function linkAgents(agents: ReadonlyMap<string, AgentFacts>): ReadonlyMap<string, string> {
  const parents = new Map<string, string>();
  for (const [agent, { declaredParent, waitsFor }] of agents) {
    const parent = [declaredParent, waitsFor].find(
      (each) => each !== null && agents.has(each) && topOf(each, parents) !== agent,
    );
    if (parent !== null && parent !== undefined) parents.set(agent, parent);
  }
  return parents;
}

/** Ends, because a parent that would close a circle is never noted. */
function topOf(agent: string, parents: ReadonlyMap<string, string>): string {
  let top = agent;
  for (let above = parents.get(top); above !== undefined; above = parents.get(top)) top = above;
  return top;
}

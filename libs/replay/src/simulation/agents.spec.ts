import { describe, expect, it } from '@jest/globals';

import { row, traceOf } from '../testing/small-trace.js';

import { planSpawns } from './agents.js';

/** Owns: what a sub-agent starts with. */

describe('planSpawns', () => {
  const { sessions } = traceOf(
    row({ t: 1 }),
    row({ t: 10, seq: 1, keep: 1, new: [] }),
    row({ agent: 'during', parent: 'main', t: 10 }),
    row({ agent: 'between', parent: 'main', t: 9.9 }),
    row({ agent: 'before', parent: 'main', t: 0.5 }),
    row({ agent: 'nested', parent: 'between', t: 12 }),
  );
  const session = sessions[0] ?? { id: '', recordedStart: null, agents: [] };
  const plan = planSpawns(session);
  const agent = (id: string): (typeof session.agents)[number] => {
    const found = session.agents.find((each) => each.id === id);
    if (found === undefined) throw new Error(id);
    return found;
  };
  const spawned = (id: string, request: number): string[] => plan.spawnedBy(agent(id), request).map((each) => each.id);

  it('is the latest request of its parent that was made before it', () => {
    expect(spawned('main', 0)).toEqual(['between']);
    expect(spawned('main', 1)).toEqual(['during']);
    expect(spawned('between', 0)).toEqual(['nested']);
    expect(spawned('nested', 0)).toEqual([]);
  });

  it('is the session where its parent had made none', () => {
    expect(plan.roots.map(({ id }) => id)).toEqual(['main', 'before']);
  });
});

import { describe, expect, it } from '@jest/globals';

import { row, traceOf } from '../testing/small-trace.js';
import type { TraceAgent } from '../trace/trace.js';

import { waitOf } from './agents.js';

/** Owns: what requests wait for where their trace does not say. */

describe('waitOf', () => {
  const { sessions } = traceOf(
    row({ t: 1 }),
    row({ t: 10, seq: 1, keep: 1, new: [], think_s: 3 }),
    row({ agent: 'during', parent: 'main', t: 10 }),
    row({ agent: 'between', parent: 'main', t: 9.5 }),
    row({ agent: 'before', parent: 'main', t: 0.5 }),
    row({ agent: 'nested', parent: 'between', t: 12 }),
  );
  const agent = (id: string): TraceAgent => {
    const found = sessions[0]?.agents.find((each) => each.id === id);
    if (found === undefined) throw new Error(id);
    return found;
  };

  it('is the latest request of its parent that was made before a first one', () => {
    expect(waitOf(agent('between'), 0)).toEqual({ for: [{ agent: 'main', index: 0 }], until: 'asked', delay: 8500 });
    expect(waitOf(agent('during'), 0)).toEqual({ for: [{ agent: 'main', index: 1 }], until: 'asked', delay: 0 });
    expect(waitOf(agent('nested'), 0)).toEqual({ for: [{ agent: 'between', index: 0 }], until: 'asked', delay: 2500 });
  });

  it('is the answer before a later one', () => {
    expect(waitOf(agent('main'), 1)).toEqual({ for: [{ agent: 'main', index: 0 }], until: 'answered', delay: 3000 });
  });

  it('is nothing for a main agent, and where its parent had made none', () => {
    expect(waitOf(agent('main'), 0)).toBeNull();
    expect(waitOf(agent('before'), 0)).toBeNull();
  });
});

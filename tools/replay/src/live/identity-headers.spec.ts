import { describe, expect, it } from '@jest/globals';
import type { Dialect, TraceAgent, TraceSession } from '@roost/replay';

import { identityHeaders } from './identity-headers.js';

/** Owns: how each dialect says who asks, as it is and as an edge understands it. */

const MAIN: TraceAgent = { id: 'm', parent: null, type: null, requests: [] };
const CHILD: TraceAgent = { ...MAIN, id: 'c', parent: MAIN };
const GRANDCHILD: TraceAgent = { ...MAIN, id: 'g', parent: CHILD };

function headersOf(agent: TraceAgent, dialect: Dialect | undefined, nativeHeaders: boolean): string[] {
  const said = dialect === undefined ? {} : { dialect };
  const session: TraceSession = { id: 's', recordedStart: 0, agents: [MAIN, CHILD, GRANDCHILD], ...said };
  const headers = identityHeaders({ session, agent }, 'r', { parentHeader: 'x-parent', nativeHeaders });
  return headers.map((header) => header.join(': '));
}

describe('identityHeaders', () => {
  it.each(['A', 'B', 'C', undefined] as const)('puts dialect %s as an edge understands it', (dialect) => {
    expect(headersOf(MAIN, dialect, false)).toEqual(['x-session-id: r/s/m']);
    expect(headersOf(CHILD, dialect, false)).toEqual(['x-session-id: r/s/c', 'x-parent: r/s/m']);
    expect(headersOf(GRANDCHILD, dialect, false)).toEqual(['x-session-id: r/s/g', 'x-parent: r/s/c']);
  });

  it.each<[Dialect | undefined, string[], string[], string[]]>([
    [
      'A',
      ['x-claude-code-session-id: r/s/m'],
      ['x-claude-code-session-id: r/s/m', 'x-claude-code-agent-id: r/s/c'],
      ['x-claude-code-session-id: r/s/m', 'x-claude-code-agent-id: r/s/g', 'x-claude-code-parent-agent-id: r/s/c'],
    ],
    [
      'B',
      ['session-id: r/s/m', 'thread-id: r/s/m'],
      ['session-id: r/s/m', 'thread-id: r/s/c', 'x-codex-parent-thread-id: r/s/m'],
      ['session-id: r/s/m', 'thread-id: r/s/g', 'x-codex-parent-thread-id: r/s/c'],
    ],
    [
      'C',
      ['x-session-id: r/s/m', 'x-session-affinity: r/s/m'],
      ['x-session-id: r/s/c', 'x-session-affinity: r/s/c', 'x-parent-session-id: r/s/m'],
      ['x-session-id: r/s/g', 'x-session-affinity: r/s/g', 'x-parent-session-id: r/s/c'],
    ],
    ['none', [], [], []],
    [
      undefined,
      ['x-session-id: r/s/m'],
      ['x-session-id: r/s/c', 'x-parent: r/s/m'],
      ['x-session-id: r/s/g', 'x-parent: r/s/c'],
    ],
  ])('leaves dialect %s as it is when asked to', (dialect, main, child, grandchild) => {
    expect(headersOf(MAIN, dialect, true)).toEqual(main);
    expect(headersOf(CHILD, dialect, true)).toEqual(child);
    expect(headersOf(GRANDCHILD, dialect, true)).toEqual(grandchild);
  });

  it('says of a parent what the agent says, and all of it twice where the agent does', () => {
    expect(headersOf({ ...CHILD, claimedParent: 'elsewhere' }, 'C', false)).toContain('x-parent: r/elsewhere');
    expect(headersOf({ ...CHILD, claimedParent: null }, 'C', false)).toEqual(['x-session-id: r/s/c']);
    expect(headersOf({ ...CHILD, claimedParent: 'elsewhere' }, 'A', true)).toContain(
      'x-claude-code-parent-agent-id: r/elsewhere',
    );
    const twice = headersOf({ ...CHILD, hasDoubleHeaders: true }, 'C', false);
    expect(twice).toEqual([...headersOf(CHILD, 'C', false), ...headersOf(CHILD, 'C', false)]);
  });

  it('says nothing for whoever says nothing', () => {
    expect(headersOf(CHILD, 'none', false)).toEqual([]);
  });
});

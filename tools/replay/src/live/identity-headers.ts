import { conversationOf, parentConversationOf, rootOf, type TraceAgent, type TraceSession } from '@roost/replay';

import type { LiveOptions } from './live-options.js';

/** A header, by name and value. */
export type Header = readonly [name: string, value: string];

/** Who asks, as a replay's ids say it. */
interface Identity {
  readonly root: string;
  readonly agent: string;
  readonly parent: string | null;
}

/**
 * The headers by which a request says who asks: `x-session-id` and the parent header, which an edge understands, or what
 * its harness would send (agent-traffic reference 1.1). A harness that says nothing is sent without any, either way.
 *
 * @param name that the ids begin with
 */
export function identityHeaders(
  { session, agent }: { readonly session: TraceSession; readonly agent: TraceAgent },
  name: string,
  { parentHeader, nativeHeaders }: Pick<LiveOptions, 'parentHeader' | 'nativeHeaders'>,
): readonly Header[] {
  if (session.dialect === 'none') return [];
  const parent = parentConversationOf(session, agent);
  const identity = {
    root: `${name}/${conversationOf(session, rootOf(agent))}`,
    agent: `${name}/${conversationOf(session, agent)}`,
    parent: parent === null ? null : `${name}/${parent}`,
  };
  const native = nativeHeaders ? session.dialect : undefined;
  const headers = native === undefined ? normalised(identity, parentHeader) : NATIVE[native](identity);
  return agent.hasDoubleHeaders === true ? [...headers, ...headers] : headers;
}

function normalised({ agent, parent }: Identity, parentHeader: string): readonly Header[] {
  return withParent([['x-session-id', agent]], parentHeader, parent);
}

const NATIVE: Readonly<Record<'A' | 'B' | 'C', (identity: Identity) => readonly Header[]>> = {
  // The session is the whole family; a parent is named from the second level on.
  A: ({ root, agent, parent }) => {
    if (agent === root) return [['x-claude-code-session-id', root]];
    const own: readonly Header[] = [
      ['x-claude-code-session-id', root],
      ['x-claude-code-agent-id', agent],
    ];
    return withParent(own, 'x-claude-code-parent-agent-id', parent === root ? null : parent);
  },
  // The session is the whole family; the thread is the agent.
  B: ({ root, agent, parent }) => {
    const own: readonly Header[] = [
      ['session-id', root],
      ['thread-id', agent],
    ];
    return withParent(own, 'x-codex-parent-thread-id', parent);
  },
  C: ({ agent, parent }) => {
    const own: readonly Header[] = [
      ['x-session-id', agent],
      ['x-session-affinity', agent],
    ];
    return withParent(own, 'x-parent-session-id', parent);
  },
};

function withParent(headers: readonly Header[], name: string, parent: string | null): readonly Header[] {
  return parent === null ? headers : [...headers, [name, parent]];
}

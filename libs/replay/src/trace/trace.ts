import type { Dialect } from './generated/generated-line.js';
import type { Trigger } from './trace-row.js';

/** A request of a session, by the agent's id and the request's index of the agent. */
export interface RequestRef {
  readonly agent: string;
  readonly index: number;
}

/** What a request waits for; times are in milliseconds. */
export interface RequestWait {
  /** Requests of the session that all have to be so far; none: the request comes at its recorded time. */
  readonly for: readonly RequestRef[];
  /** How far: the answer is complete, or its first token is there. */
  readonly until: 'answered' | 'streaming';
  /** From then to this request. */
  readonly delay: number;
}

/** One request of one agent. Times are in milliseconds. */
export interface TraceRequest {
  /** From the session's start, where it was recorded. */
  readonly recordedAt: number;
  /** How long the request took where it was recorded. */
  readonly recordedDuration: number;
  /** From the end of the agent's answer before; 0 for a first request. */
  readonly think: number;
  readonly trigger: Trigger;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** How many leading blocks it has in common with the agent's request before. */
  readonly keep: number;
  /** The numbers of the blocks behind those. */
  readonly added: Uint32Array;
  /**
   * Absent: for the answer before, and then so long as `think` says; the first one of a sub-agent for the request of its
   * parent that was recorded last before it.
   */
  readonly wait?: RequestWait;
  /** It is beside the agent's work, with a prompt of its own: the agent goes on without it. */
  readonly isSide?: true;
}

/** A main agent or a sub-agent, and all that it asks, in order. */
export interface TraceAgent {
  /** Unique in its session. */
  readonly id: string;
  /** The agent that spawned it. */
  readonly parent: TraceAgent | null;
  readonly type: string | null;
  /** The conversation that its requests name as their parent, null for none; absent: that of `parent`. */
  readonly claimedParent?: string | null;
  /** Its requests carry the headers that say who asks twice. */
  readonly hasDoubleHeaders?: true;
  readonly requests: readonly TraceRequest[];
}

/** A main agent and its sub-agents. */
export interface TraceSession {
  readonly id: string;
  /** Milliseconds from the trace's start, where it was recorded; null: unknown. */
  readonly recordedStart: number | null;
  /** How the agents' harness says who asks; absent: unknown. */
  readonly dialect?: Dialect;
  readonly agents: readonly TraceAgent[];
}

/**
 * Recorded or generated traffic of coding agents. Blocks are numbered from 0; a block stands for its whole prefix, so that
 * two requests with one block in common have all blocks before it in common too.
 */
export interface Trace {
  readonly sessions: readonly TraceSession[];
  /** Different blocks. */
  readonly numBlocks: number;
  readonly numRequests: number;
  readonly tokensPerBlock: number;
}

/** The conversation of an agent, as its requests name it. */
export function conversationOf(session: TraceSession, agent: TraceAgent): string {
  return `${session.id}/${agent.id}`;
}

/** The conversation that an agent's requests name as their parent; null: none. */
export function parentConversationOf(session: TraceSession, { parent, claimedParent }: TraceAgent): string | null {
  if (claimedParent !== undefined) return claimedParent;
  return parent === null ? null : conversationOf(session, parent);
}

/** The agent at the top of an agent's family. */
export function rootOf(agent: TraceAgent): TraceAgent {
  return agent.parent === null ? agent : rootOf(agent.parent);
}

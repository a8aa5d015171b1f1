import type { Trigger } from './trace-row.js';

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
}

/** A main agent or a sub-agent, and all that it asks, in order: each request waits for the answer before. */
export interface TraceAgent {
  /** Unique in its session. */
  readonly id: string;
  /** The agent that spawned it. */
  readonly parent: TraceAgent | null;
  readonly type: string | null;
  readonly requests: readonly TraceRequest[];
}

/** A main agent and its sub-agents. */
export interface TraceSession {
  readonly id: string;
  /** Milliseconds from the trace's start, where it was recorded; null: unknown. */
  readonly recordedStart: number | null;
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

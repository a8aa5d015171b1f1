/** What a request came after: its user, or a tool that the agent had called. */
export type Trigger = 'user' | 'tool';

/** A block id, or a start and a count of consecutive ones. */
export type BlockIds = number | readonly [start: number, count: number];

/** Tokens a block in traces of this shape. */
export const TOKENS_PER_BLOCK = 64;

/** The longest prompt and answer that a trace may have, in tokens. */
export const MOST_TOKENS = 16_777_216;

/**
 * One line of a trace: one request of one agent, in the fields and units of the Weka coding-agent traces. The request's
 * blocks are the first `keep` of those of the agent's previous request and then `new`.
 */
export interface TraceRow {
  readonly session: string;
  /** Unique in its session. */
  readonly agent: string;
  /** The agent that spawned this one. */
  readonly parent: string | null;
  readonly subagent_type?: string;
  /** Counts the agent's requests from 0. */
  readonly seq: number;
  /** Seconds from the session's start. */
  readonly t: number;
  /**
   * Seconds from the trace's start to the session's, said by the session's first row; absent: unknown, and left to the
   * replay. Not a field of Weka's.
   */
  readonly start?: number;
  readonly model: string;
  /** Prompt tokens. */
  readonly in: number;
  /** Answer tokens. */
  readonly out: number;
  /** Seconds that the request took where it was recorded; absent: unknown, and taken for 0. */
  readonly api_s?: number;
  /** Seconds from the answer before to this request; absent: from the recorded times. */
  readonly think_s?: number;
  readonly trigger: Trigger;
  readonly keep: number;
  readonly new: readonly BlockIds[];
  /** Whether equal ids mean equal blocks only in one session, the default, or in all that say `global`. Not a field of Weka's. */
  readonly ids?: 'session' | 'global';
}

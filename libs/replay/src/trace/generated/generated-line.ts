/** Part of a prompt: the first `len` tokens of a namespace. */
export interface PrefixPart {
  /** What the tokens belong to: tools and system prompt, a project, an agent's own history. */
  readonly ns: string;
  /** Tokens, at least 1. */
  readonly len: number;
}

/** What a request is: of a main agent, of a fresh or a forked sub-agent, beside an agent's work, or to sum its history up. */
export const KINDS = ['main', 'spawn', 'fork', 'side', 'compact'] as const;

/**
 * Why a request comes when it does: its user, a tool that came back (sub-agents too), an agent that was spawned by a
 * finished answer, or by one that was still streaming.
 */
export const TRIGGERS = ['user', 'tool', 'spawn', 'stream'] as const;

/** How a harness says who asks (agent-traffic reference 1.1): as Claude Code, Codex, OpenCode, or not at all. */
export const DIALECTS = ['A', 'B', 'C', 'none'] as const;

/** What may be wrong with how a sub-agent says who it is. */
export const FAULTS = [
  'missing_parent',
  'unknown_parent',
  'parent_after_child',
  'duplicate_header',
  'long_id',
  'spoofed_parent',
  'cycle',
] as const;

export type Kind = (typeof KINDS)[number];
export type LineTrigger = (typeof TRIGGERS)[number];
export type Dialect = (typeof DIALECTS)[number];
export type Fault = (typeof FAULTS)[number];

/**
 * One line of a generated trace: one request, in the fields of the agent-traffic reference 3.1, and `type` and `fault`. Lines come in the order of
 * `t`.
 *
 * A prompt is the parts of `prefix`, one behind the other. Token i of a namespace is the same token for everybody, so two
 * prompts have in common what the same parts in the same order have, and a block is the same block where everything up to
 * its end is the same. An agent's history is one namespace that gets longer from request to request: growth is a larger
 * number, a fork is the parent's parts and one of its own behind them, and a compaction a namespace with a new name. So a
 * line has two to six parts whatever the length of its prompt; with a namespace for every turn, lines would get longer with
 * every turn, and the file with the square of their number. Tenants share nothing, as if each had a cache salt of its own:
 * all their namespaces begin with the tenant's name. Nor do models, whatever the namespaces.
 */
export interface GeneratedLine {
  /** Different for every line. */
  readonly id: string;
  /** Seconds from the trace's start, as it would be if every request took as long as recorded ones do. */
  readonly t: number;
  readonly tenant: string;
  readonly model: string;
  /** The family: the id of its main agent. */
  readonly root: string;
  /** Who asks; the main agent is called as the family. */
  readonly agent: string;
  /** Which agent `agent` says has spawned it; null for a main agent. */
  readonly parent: string | null;
  /** What kind of sub-agent it is, said by its first line; null for a main agent. */
  readonly type: string | null;
  readonly kind: Kind;
  /** Of the agent: 0 for a main agent, one more for each that spawned another. */
  readonly depth: number;
  /** The agent's turns that its user, or whoever spawned it, has begun before this one. */
  readonly turn: number;
  readonly trigger: LineTrigger;
  /** Ids of earlier lines of the family that must have been answered; with the trigger `stream`, whose answers must have begun. */
  readonly wait_for: readonly string[];
  /** Seconds from then to this request. */
  readonly delay_s: number;
  /** Tokens of the prompt: the sum of `prefix`. */
  readonly in: number;
  /** Tokens of the answer. */
  readonly out: number;
  readonly prefix: readonly PrefixPart[];
  readonly dialect: Dialect;
  /** What is wrong with the agent's identity; absent: nothing. */
  readonly fault?: Fault;
}

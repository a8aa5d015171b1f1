import type { KvHandle } from './kv.js';

/** A client's request as far as its prompt is concerned. */
export interface ConversationTurn {
  readonly endpoint: 'chat' | 'completions';
  /** The client's parsed JSON body, already checked by the edge but not trusted. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** How tokens are chosen. Absent fields are the engine's defaults. */
export interface Sampling {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly seed?: bigint | undefined;
  /** Go on after an end-of-sequence token, up to the token limit. */
  readonly ignoreEos: boolean;
}

interface Job {
  readonly rank: number;
  /** The agent's own conversation; keys KV-cache management, never placement. */
  readonly conversationId: string | null;
  readonly prompt: Uint32Array;
  /** Requests with different salts share no cached block; absent counts as a salt of its own. */
  readonly cacheSalt?: string | undefined;
  /** The most tokens that will be made after the prompt; room for them is kept on the rank. */
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

/** Compute a prompt. */
export interface PrefillJob extends Job {
  readonly sampling: Sampling;
}

/** What a prefill gives. */
export interface PrefillOutcome {
  readonly handle: KvHandle;
  /** The first token, or null when the model ended at once. */
  readonly firstToken: number | null;
  /** Prompt tokens whose cache was found, not computed. */
  readonly cachedTokens: number;
}

/** Take over a prompt's cache from another instance. */
export type ImportJob = Job;

/** Decode from a handle. */
export interface DecodeJob {
  readonly handle: KvHandle;
  /** The tokens already made after the prompt: what prefill sampled, or all that another instance made before it died. */
  readonly generated: readonly number[];
  /** The most tokens to make after the prompt, `generated` included. */
  readonly maxTokens: number;
  readonly sampling: Sampling;
  readonly signal: AbortSignal;
}

/** How a running cluster is sent a trace. */
export interface LiveOptions {
  /** Of the edge: its origin. */
  readonly url: URL;
  /** Asked of the edge when null: the first model that it serves. */
  readonly model: string | null;
  /** Header by which a sub-agent names its parent session. */
  readonly parentHeader: string;
  /** Requests carry the headers of the harness that the trace says, in place of `x-session-id` and the parent header. */
  readonly nativeHeaders: boolean;
  /** Recorded pauses, and those between sessions, are divided by it. */
  readonly speed: number;
  /** Prompts and answers are divided by it. */
  readonly scale: number;
  /** The longest answer, in tokens. */
  readonly maxTokens: number;
  /** Requests that are sent at most. */
  readonly maxRequests: number;
  /** The replay ends after so many, whatever still runs. */
  readonly seconds: number;
}

/** Whether a URL is of this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

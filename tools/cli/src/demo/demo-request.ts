/** Whether sub-agents name their parent. */
export type DemoRun = 'with_parent_header' | 'without_parent_header';

/** A message of a chat. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** One request of the scenario. */
export interface DemoRequest {
  readonly run: DemoRun;
  readonly name: string;
  readonly sessionId: string;
  /** The parent's session, when this request names it. */
  readonly parentSessionId: string | null;
  readonly messages: readonly ChatMessage[];
}

/** What is known of a request after its answer; the names are those that `--json` prints. Null is what the edge did not tell. */
export interface DemoResult {
  readonly run: DemoRun;
  readonly name: string;
  readonly session_id: string;
  readonly parent_session_id: string | null;
  readonly routing_key: string | null;
  readonly conversation_id: string | null;
  readonly context_instance: string | null;
  readonly context_rank: number | null;
  readonly context_decision: string | null;
  readonly generation_instance: string | null;
  readonly generation_rank: number | null;
  readonly generation_decision: string | null;
  readonly request_id: string | null;
  readonly prompt_tokens: number | null;
  readonly cached_tokens: number | null;
  /** Milliseconds from sending the request to the first piece of text. */
  readonly ttft_ms: number | null;
}

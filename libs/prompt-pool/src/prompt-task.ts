/** What a thread is asked to do. */
export interface PromptTask {
  readonly endpoint: 'chat' | 'completions';
  /** The client's JSON body; a copy, which the thread takes over. */
  readonly body: Uint8Array;
  /** The prompt's tokens where they are known, also a copy; null: they are to be made. */
  readonly tokens: Uint32Array<ArrayBuffer> | null;
  /** In tokens; different fleets may have different ones. */
  readonly blockSizes: readonly number[];
  /** A text of more tokens is refused. */
  readonly maxTokens: number;
}

/** A prompt in tokens, and the chained hashes of its full blocks, for each block size that was asked for. */
export interface PromptTokens {
  readonly tokens: Uint32Array;
  readonly blockHashes: ReadonlyMap<number, BigUint64Array>;
  /** What tells the conversation by its content alone (reference 2.3); null for a prompt without messages. */
  readonly contentPin: string | null;
}

/** What a thread answers; a refusal travels as data, because errors lose their fields between threads. */
export type PromptTaskOutcome =
  | ({ readonly kind: 'tokens' } & PromptTokens)
  | {
      readonly kind: 'refused';
      readonly code: 'invalid_request' | 'unsupported_parameter' | 'context_length_exceeded';
      readonly message: string;
      readonly param: string;
    };

/** What a thread is asked to do. */
export interface PromptTask {
  readonly endpoint: 'chat' | 'completions';
  /** The client's JSON body; a copy, which the thread takes over. */
  readonly body: Uint8Array;
  readonly tokensPerBlock: number;
}

/** A prompt in tokens, and the chained hashes of its full blocks. */
export interface PromptTokens {
  readonly tokens: Uint32Array;
  readonly blockHashes: BigUint64Array;
}

/** What a thread answers; a refusal travels as data, because errors lose their fields between threads. */
export type PromptTaskOutcome =
  | ({ readonly kind: 'tokens' } & PromptTokens)
  | {
      readonly kind: 'refused';
      readonly code: 'invalid_request' | 'unsupported_parameter';
      readonly message: string;
      readonly param: string;
    };

/** What a request asks about. */
export interface PromptContent {
  /** The prompt as tokens, when the client has tokenised it. */
  readonly promptTokenIds: number[] | null;
  /**
   * The characters (Unicode code points) of {@link canonicalText}, known without building it; five a token for a prompt of
   * token ids.
   */
  readonly textChars: number;
  /** Makes the one text that stands for the prompt in routing (reference 2.4): equal prompts have equal texts. */
  readonly canonicalText: () => string;
}

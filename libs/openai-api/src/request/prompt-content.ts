/** What a request asks about. */
export interface PromptContent {
  /** The prompt as tokens, when the client has tokenised it. */
  readonly promptTokenIds: number[] | null;
  /** The length of {@link canonicalText} in UTF-16 units, known without building it. */
  readonly textChars: number;
  /** The one text that stands for the prompt in routing (reference 2.4): equal prompts have equal texts. */
  readonly canonicalText: () => string;
}

/**
 * What is used of node-llama-cpp 3.21.1 and @huggingface/jinja, written down here because neither is installed by default.
 * Tokens are plain numbers.
 */
export interface NodeLlamaCpp {
  getLlama(options: {
    readonly gpu: 'auto' | false;
    readonly build: 'never';
    readonly skipDownload: true;
    readonly progressLogs: false;
    readonly logLevel: 'error';
  }): Promise<Llama>;
}

/** The package that renders chat templates. */
export interface Jinja {
  readonly Template: new (source: string) => {
    /** @throws Error when the template cannot render that, or says itself that it will not */
    render(values: Readonly<Record<string, unknown>>): string;
  };
}

/** The loaded library. */
export interface Llama {
  readonly llamaCppRelease: { readonly repo: string; readonly release: string };
  loadModel(options: { readonly modelPath: string; readonly gpuLayers: number | 'auto' }): Promise<LlamaModel>;
}

/** A loaded model. */
export interface LlamaModel {
  readonly fileInfo: { readonly metadata: unknown };
  readonly fileInsights: {
    readonly swaSize: number | undefined;
    readonly isRecurrent: boolean;
    readonly isHybrid?: boolean;
  };
  readonly trainContextSize: number;
  readonly tokens: {
    readonly bos: number | null;
    readonly shouldPrependBosToken: boolean;
    readonly bosString: string | null;
    readonly eosString: string | null;
  };
  tokenize(text: string, specialTokens: boolean): number[];
  isEogToken(token: number): boolean;
  createContext(options: {
    readonly contextSize: number;
    readonly sequences: number;
    readonly batchSize: number;
    readonly threads: number;
    readonly flashAttention: boolean;
    readonly swaFullCache: boolean;
  }): Promise<LlamaContext>;
  dispose(): Promise<void>;
}

/** A KV cache of several sequences, which are computed together. */
export interface LlamaContext {
  getSequence(): LlamaSequence;
  dispose(): Promise<void>;
}

/** How the next token is chosen. */
export interface NextTokenOptions {
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly minP: number;
  readonly seed: number;
}

/** A token to evaluate, and whether to sample what follows it. */
export type EvaluateItem =
  number | readonly [token: number, options: { generateNext: { token: true; options: NextTokenOptions } }];

/** One sequence of a context. */
export interface LlamaSequence {
  readonly nextTokenIndex: number;
  controlledEvaluate(
    input: readonly EvaluateItem[],
  ): Promise<readonly ({ readonly next: { readonly token?: number | null } } | undefined)[]>;
  eraseContextTokenRanges(ranges: readonly { readonly start: number; readonly end: number }[]): Promise<void>;
  clearHistory(): Promise<void>;
  saveStateToFile(path: string): Promise<{ readonly fileSize: number }>;
  loadStateFromFile(path: string, risk: { readonly acceptRisk: true }): Promise<void>;
}

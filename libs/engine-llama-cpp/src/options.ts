/** What the engine runs, and with how much. */
export interface LlamaCppEngineOptions {
  /** The name that clients ask for. */
  readonly model: string;
  /** A GGUF file. */
  readonly modelPath: string;
  readonly numRanks: number;
  /** Sequences that one rank holds: at work, waiting for their handoff, and kept for reuse. */
  readonly sequences: number;
  /** Requests that one rank works on at once; no more than it has sequences count. */
  readonly maxBatchSize: number;
  /** Tokens that one rank computes in one iteration. */
  readonly batchTokens: number;
  /** The longest prompt plus answer, in tokens; no more than the model was trained for counts. */
  readonly contextSize: number;
  /** The longest answer when a request sets no limit, in tokens. */
  readonly defaultMaxTokens: number;
  readonly tokensPerBlock: number;
  /** Whether a sequence outlives its request and is found by later ones. */
  readonly reuse: boolean;
  /** Threads that one rank computes with. */
  readonly threads: number;
  /** Layers put on a GPU; 0: the CPU does all. */
  readonly gpuLayers: number;
  readonly flashAttention: boolean;
  /** Where states are put on their way; null: a folder in memory where there is one. */
  readonly stateDirectory: string | null;
  /** The folder that holds the runtime's `node_modules`; null: the repository's own. */
  readonly runtimePath: string | null;
}

const AT_LEAST_ONE = [
  'numRanks',
  'sequences',
  'maxBatchSize',
  'batchTokens',
  'contextSize',
  'defaultMaxTokens',
  'tokensPerBlock',
  'threads',
] as const;

/** @throws RangeError that names the option at fault and its value */
export function checkOptions(options: LlamaCppEngineOptions): void {
  for (const name of AT_LEAST_ONE) {
    if (!Number.isSafeInteger(options[name]) || options[name] < 1) {
      throw new RangeError(`${name} must be a positive integer, got ${String(options[name])}`);
    }
  }
  if (!Number.isSafeInteger(options.gpuLayers) || options.gpuLayers < 0) {
    throw new RangeError(`gpuLayers must be an integer from 0 on, got ${String(options.gpuLayers)}`);
  }
  if (options.batchTokens < options.sequences) {
    throw new RangeError(
      `batchTokens must be at least as many as sequences (${String(options.sequences)}), got ${String(options.batchTokens)}`,
    );
  }
}

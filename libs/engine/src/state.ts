/** What an engine is and what it can hold. */
export interface EngineInfo {
  /** The kind of engine, e.g. `simulated`. */
  readonly engine: string;
  /** The model's name as clients ask for it. */
  readonly model: string;
  readonly numRanks: number;
  /** Requests that one rank works on at once. */
  readonly maxBatchSize: number;
  /** Tokens that one rank computes in one iteration. */
  readonly maxNumTokens: number;
  /** The longest prompt plus answer, in tokens. */
  readonly maxSeqLen: number;
  /** The longest answer when a request sets no limit, in tokens. */
  readonly defaultMaxTokens: number;
  readonly tokensPerBlock: number;
  /** How prompts become tokens - rendering and vocabulary - as one comparable name. */
  readonly promptFormat: string;
  /** How block hashes are made, e.g. `xxh64-chained`. */
  readonly kvCacheHashAlgo: string;
  /** What sender and receiver of a cache must share, in one comparable string. */
  readonly kvLayout: string;
}

/** What one rank holds at this moment. */
export interface RankState {
  readonly rank: number;
  /** Requests assigned to the rank that are waiting, computing, importing or decoding there; not those held for a handoff. */
  readonly numActiveRequests: number;
  /** Prompt tokens of those requests. */
  readonly numActiveTokens: number;
  readonly kvBlocksTotal: number;
  /** Blocks in use by running requests or held behind handles. */
  readonly kvBlocksPinned: number;
  /** Unreferenced blocks kept for reuse. */
  readonly kvBlocksCached: number;
  /** Prompt tokens of the active requests that are still to be computed. */
  readonly numPendingPrefillTokens: number;
  /** Handles whose prefill is done and that are neither decoding nor released. */
  readonly numHeldHandoffs: number;
}

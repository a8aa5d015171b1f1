import type { BlockLease } from '@roost/block-cache';

/**
 * Where a sequence is on its rank: `waiting` for room; `importing` with room made; `computing` its prompt or its answer;
 * `held` behind a handle; `gone`.
 */
export type Phase = 'waiting' | 'importing' | 'computing' | 'held' | 'gone';

/** The token with an index in the answer, or null where the model ends. */
export type Sample = (index: number) => number | null;

/** The tokens of a sequence as far as a rank has to know them; a replay knows no more than this. */
export interface SequenceChain {
  /** In tokens. */
  readonly length: number;
  /** Hashes of the full blocks, in the rank's block size; they grow with the chain. */
  readonly hashes: readonly bigint[];
  /** Adds a token at the end. */
  push(token: number): void;
}

/** What a sequence is made from. */
export interface SequenceRequest<Chain extends SequenceChain> {
  readonly kind: 'prefill' | 'import';
  /** The prompt; from now on the sequence's own. */
  readonly chain: Chain;
  /** The most answer tokens that room is kept for. */
  readonly maxTokens: number;
}

/** One request on one rank: its tokens, the room that it has, and how far it is. The rank alone changes it. */
export class Sequence<Chain extends SequenceChain = SequenceChain> {
  readonly kind: 'prefill' | 'import';
  readonly promptLength: number;
  readonly maxTokens: number;
  /** The prompt, and behind it the answer tokens that are known. */
  readonly chain: Chain;
  phase: Phase = 'waiting';
  lease: BlockLease | null = null;
  /** How the answer goes on, while it is decoded. */
  decoding: { readonly sample: Sample; readonly maxTokens: number } | null = null;

  constructor(
    request: SequenceRequest<Chain>,
    /** Samples what follows the prompt. */
    readonly sampleFirst: Sample,
  ) {
    this.kind = request.kind;
    this.promptLength = request.chain.length;
    this.maxTokens = request.maxTokens;
    this.chain = request.chain;
  }

  /** Tokens whose cache is there. */
  get computedTokens(): number {
    return this.lease?.coveredTokens ?? 0;
  }

  /** Prompt tokens whose cache was found when the sequence got its room. */
  get cachedTokens(): number {
    return this.lease?.cachedTokens ?? 0;
  }

  /** Tokens to compute before the next one can be sampled; at least one, as its output is what is sampled from. */
  get pendingTokens(): number {
    return Math.max(1, this.chain.length - this.computedTokens);
  }

  /** Prompt tokens still to be computed here; those of a waiting sequence as if nothing were cached. */
  get pendingPromptTokens(): number {
    return this.kind === 'import' ? 0 : Math.max(0, this.promptLength - this.computedTokens);
  }

  /** Answer tokens that are known. */
  get generatedTokens(): number {
    return this.chain.length - this.promptLength;
  }

  /** The most tokens that the sequence will ever have. */
  get reservedTokens(): number {
    return this.promptLength + this.maxTokens;
  }

  /**
   * The most leading tokens that may come from the cache. A prefill computes at least its last token, for there is nothing
   * to sample from otherwise; an import brings its first token with it.
   */
  get reusableTokens(): number {
    return this.kind === 'prefill' ? this.promptLength - 1 : this.promptLength;
  }
}

import { BlockCache, type BlockEvent, type BlockUsage } from '@roost/block-cache';

import type { Sample, Sequence } from './sequence.js';

/** What one rank can do. */
export interface RankOptions {
  /** Sequences in one iteration. */
  readonly maxBatchSize: number;
  /** Tokens computed in one iteration. */
  readonly maxNumTokens: number;
  readonly tokensPerBlock: number;
  readonly capacityBlocks: number;
  readonly blockReuse: boolean;
  readonly onBlockEvent?: (event: BlockEvent) => void;
}

/** What one sequence computes in one iteration. */
export interface Step {
  readonly sequence: Sequence;
  readonly kind: 'prefill' | 'decode';
  readonly numTokens: number;
}

/** What a rank will do in one iteration. */
export interface RankPlan {
  readonly steps: readonly Step[];
  /** Sequences that got their room. */
  readonly admitted: readonly Sequence[];
}

/** A sequence that has sampled in an iteration. */
export interface Progress {
  readonly sequence: Sequence;
  /** The token sampled, or null when the model ended. */
  readonly token: number | null;
  /** Whether the sequence is held now: its prefill is done, or its answer. */
  readonly done: boolean;
}

/** Sequences of a rank by what they do. */
export interface RankCounts {
  readonly active: number;
  /** Prompt tokens of the active ones. */
  readonly activeTokens: number;
  /** Of those, still to be computed. */
  readonly pendingTokens: number;
  readonly held: number;
  readonly blocks: BlockUsage;
}

/**
 * One rank: its cache, the queue before it, and continuous batching. An iteration is planned, takes its time, and is
 * committed; in between sequences may be submitted and removed. Nothing here knows of time, so that the same code runs
 * served and replayed.
 */
export class Rank {
  readonly cache: BlockCache;
  private readonly waiting = new Set<Sequence>();
  private readonly importing = new Set<Sequence>();
  private readonly computing = new Set<Sequence>();
  private readonly held = new Set<Sequence>();

  /** @throws RangeError for limits below 1 */
  constructor(private readonly options: RankOptions) {
    if (!(options.maxBatchSize >= 1 && options.maxNumTokens >= 1)) {
      throw new RangeError('maxBatchSize and maxNumTokens must be at least 1');
    }
    this.cache = new BlockCache({
      capacityBlocks: options.capacityBlocks,
      tokensPerBlock: options.tokensPerBlock,
      reuse: options.blockReuse,
      ...(options.onBlockEvent ? { onEvent: options.onBlockEvent } : {}),
    });
  }

  /** Puts a new sequence at the end of the queue. It must be one that can ever fit. */
  submit(sequence: Sequence): void {
    this.waiting.add(sequence);
  }

  /** Says that an importing sequence's cache is there: it is held from now on. */
  completeImport(sequence: Sequence): void {
    sequence.lease?.cover(sequence.promptLength);
    this.move(sequence, 'held');
  }

  /**
   * Continues a held sequence after the answer tokens that are known.
   *
   * @throws RangeError when the answer is to be longer than the room kept for it, or shorter than it is already
   */
  decode(sequence: Sequence, generated: readonly number[], sample: Sample, maxTokens: number): void {
    if (Math.max(maxTokens, generated.length) > sequence.maxTokens) {
      throw new RangeError(
        `room was kept for ${String(sequence.maxTokens)} answer tokens, not ${String(Math.max(maxTokens, generated.length))}`,
      );
    }
    if (generated.length < sequence.generatedTokens) {
      throw new RangeError(
        `${String(sequence.generatedTokens)} answer tokens are known, but only ${String(generated.length)} were given`,
      );
    }
    for (const token of generated.slice(sequence.generatedTokens)) {
      sequence.chain.push(token);
    }
    sequence.decoding = { sample, maxTokens };
    this.move(sequence, 'computing');
  }

  /** Stops computing a sequence; it is held as far as it has come. */
  pause(sequence: Sequence): void {
    if (sequence.phase === 'computing') this.move(sequence, 'held');
  }

  /** Frees all that a sequence has, whatever it is doing. Idempotent. */
  remove(sequence: Sequence): void {
    this.move(sequence, 'gone');
    sequence.lease?.release();
  }

  /**
   * Admits from the queue, in order, what there is room for, and shares an iteration out: first a token for each sequence
   * that decodes, then chunks of prompts, in order of arrival.
   */
  plan(): RankPlan {
    const admitted = this.admit();
    const steps: Step[] = [];
    let budget = this.options.maxNumTokens;
    for (const kind of ['decode', 'prefill'] as const) {
      for (const sequence of this.computing) {
        if (steps.length === this.options.maxBatchSize || budget === 0) break;
        if (stepKind(sequence) !== kind) continue;
        const numTokens = Math.min(budget, sequence.pendingTokens);
        steps.push({ sequence, kind, numTokens });
        budget -= numTokens;
      }
    }
    return { steps, admitted };
  }

  /** Carries a plan out, but for sequences that have been removed or paused meanwhile. */
  commit({ steps }: RankPlan): Progress[] {
    return steps.flatMap(({ sequence, numTokens }) =>
      sequence.phase === 'computing' ? this.advance(sequence, numTokens) : [],
    );
  }

  get counts(): RankCounts {
    let activeTokens = 0;
    let pendingTokens = 0;
    for (const set of [this.waiting, this.importing, this.computing]) {
      for (const sequence of set) activeTokens += sequence.promptLength;
    }
    for (const set of [this.waiting, this.computing]) {
      for (const sequence of set) pendingTokens += sequence.pendingPromptTokens;
    }
    return {
      active: this.waiting.size + this.importing.size + this.computing.size,
      activeTokens,
      pendingTokens,
      held: this.held.size,
      blocks: this.cache.usage,
    };
  }

  /** All sequences that are not gone. */
  get sequences(): readonly Sequence[] {
    return [...this.waiting, ...this.importing, ...this.computing, ...this.held];
  }

  private admit(): Sequence[] {
    const admitted: Sequence[] = [];
    // Strictly first come, first served: a large sequence is not overtaken for ever by small ones.
    for (const sequence of this.waiting) {
      if (!this.hasSlotFor(sequence)) break;
      const admission = this.cache.admit({
        hashes: sequence.chain.hashes,
        reusableTokens: sequence.reusableTokens,
        maxTokens: sequence.reservedTokens,
      });
      if (admission.outcome !== 'admitted') break;
      sequence.lease = admission.lease;
      this.move(sequence, sequence.kind === 'import' ? 'importing' : 'computing');
      admitted.push(sequence);
    }
    return admitted;
  }

  private hasSlotFor(sequence: Sequence): boolean {
    return sequence.kind === 'import' || this.computing.size < this.options.maxBatchSize;
  }

  private advance(sequence: Sequence, numTokens: number): Progress[] {
    const computed = sequence.computedTokens + numTokens;
    sequence.lease?.cover(Math.min(computed, sequence.chain.length));
    if (computed < sequence.chain.length) return [];
    const { decoding, generatedTokens } = sequence;
    const token = (decoding?.sample ?? sequence.sampleFirst)(generatedTokens);
    // A prefill ends with its first token; whether that token is kept is for whoever decodes to say.
    let done = decoding === null || token === null;
    if (decoding !== null && token !== null) {
      sequence.chain.push(token);
      done = sequence.generatedTokens >= decoding.maxTokens;
    }
    if (done) this.move(sequence, 'held');
    return [{ sequence, token, done }];
  }

  private move(sequence: Sequence, phase: Sequence['phase']): void {
    this.setOf(sequence.phase)?.delete(sequence);
    sequence.phase = phase;
    if (phase !== 'computing') sequence.decoding = null;
    this.setOf(phase)?.add(sequence);
  }

  private setOf(phase: Sequence['phase']): Set<Sequence> | null {
    return phase === 'gone' ? null : this[phase];
  }
}

function stepKind({ decoding, pendingTokens }: Sequence): Step['kind'] {
  return decoding !== null && pendingTokens === 1 ? 'decode' : 'prefill';
}

import { describe, expect, it } from '@jest/globals';
import { TokenChain } from '@roost/block-cache';
import fc from 'fast-check';

import { Rank, type RankPlan } from './rank.js';
import { Sequence } from './sequence.js';

/** Owns: what holds on a rank after any history, and that nothing waits for ever. */

const B = 2;
const CAPACITY = 10;

const operation = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('prefill' as const, 'import' as const),
      prompt: fc.array(fc.nat(1), { minLength: 1, maxLength: 14, size: 'max' }),
      maxTokens: fc.integer({ min: 1, max: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('decode' as const, 'pause' as const, 'remove' as const, 'complete' as const),
      which: fc.nat(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('iterate' as const), removed: fc.option(fc.nat()) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

const sample = (index: number): number | null => (index < 5 ? index : null);

class History {
  readonly faults: string[] = [];
  constructor(
    readonly rank: Rank,
    private readonly maxBatchSize: number,
    private readonly maxNumTokens: number,
  ) {}

  apply(step: Operation): void {
    if (step.kind === 'iterate') this.iterate(step.removed);
    else if ('prompt' in step) {
      const { kind, maxTokens } = step;
      const chain = new TokenChain(Uint32Array.from(step.prompt), B);
      this.rank.submit(new Sequence({ kind, chain, maxTokens }, sample));
    } else this.change(step.kind, step.which);
    this.check();
  }

  /** Everything that waits for somebody outside is let go of; the rest has to come to its end by itself. */
  drain(): number {
    for (let iterations = 0; iterations < 1000; iterations += 1) {
      for (const sequence of this.rank.sequences) {
        if (sequence.phase === 'held' || sequence.phase === 'importing') this.rank.remove(sequence);
      }
      if (this.rank.sequences.length === 0) return iterations;
      this.iterate(null);
    }
    return Number.POSITIVE_INFINITY;
  }

  private iterate(removed: number | null): void {
    const plan = this.rank.plan();
    this.checkPlan(plan);
    if (removed !== null) this.change('remove', removed);
    this.rank.commit(plan);
  }

  private change(kind: 'decode' | 'pause' | 'remove' | 'complete', which: number): void {
    const wanted = { decode: 'held', pause: 'computing', complete: 'importing', remove: null }[kind];
    const candidates = this.rank.sequences.filter((each) => wanted === null || each.phase === wanted);
    const sequence = candidates[which % candidates.length];
    if (sequence === undefined) return;
    if (kind === 'remove') this.rank.remove(sequence);
    else if (kind === 'pause') this.rank.pause(sequence);
    else if (kind === 'complete') this.rank.completeImport(sequence);
    else this.decode(sequence);
  }

  private decode(sequence: Sequence): void {
    const generated = Math.max(1, sequence.generatedTokens);
    if (generated >= sequence.maxTokens) return;
    const known = Array.from({ length: generated }, (_, index) => index);
    this.rank.decode(sequence, known, sample, sequence.maxTokens);
  }

  private checkPlan({ steps }: RankPlan): void {
    const tokens = steps.reduce((sum, step) => sum + step.numTokens, 0);
    if (tokens > this.maxNumTokens) this.faults.push('too many tokens');
    if (steps.length > this.maxBatchSize) this.faults.push('too many sequences');
    if (new Set(steps.map((step) => step.sequence)).size < steps.length) this.faults.push('a sequence twice');
    if (steps.some((step) => step.numTokens < 1)) this.faults.push('a step of nothing');
  }

  private check(): void {
    const { active, held, activeTokens, blocks } = this.rank.counts;
    const { sequences } = this.rank;
    const isActive = sequences.filter((each) => each.phase !== 'held');
    if (blocks.pinned + blocks.reserved > CAPACITY) this.faults.push('overfull');
    if (active !== isActive.length || held !== sequences.length - active) this.faults.push('counts');
    if (activeTokens !== isActive.reduce((sum, each) => sum + each.promptLength, 0)) this.faults.push('tokens');
    const roomless = sequences.filter((each) => (each.lease === null) !== (each.phase === 'waiting'));
    if (roomless.length > 0) this.faults.push('room');
  }
}

describe('Rank under random histories', () => {
  it('keeps its limits, counts right, ends everything, and gives all room back', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        fc.array(operation, { maxLength: 60, size: 'max' }),
        (maxBatchSize, maxNumTokens, blockReuse, operations) => {
          const rank = new Rank({
            maxBatchSize,
            maxNumTokens,
            tokensPerBlock: B,
            capacityBlocks: CAPACITY,
            blockReuse,
          });
          const history = new History(rank, maxBatchSize, maxNumTokens);
          for (const step of operations) history.apply(step);
          expect(history.faults).toEqual([]);
          expect(history.drain()).toBeLessThan(1000);
          expect(rank.counts).toMatchObject({
            active: 0,
            activeTokens: 0,
            held: 0,
            blocks: { pinned: 0, reserved: 0 },
          });
        },
      ),
      { numRuns: 200 },
    ));
});

import { describe, expect, it } from '@jest/globals';
import { TokenChain } from '@roost/block-cache';

import { Rank, type RankOptions } from './rank.js';
import { Sequence } from './sequence.js';

/** Owns: the rules of scheduling, each by an example. Random histories are in `rank.properties.spec.ts`. */

const B = 4;

function makeRank(options: Partial<RankOptions> = {}): Rank {
  return new Rank({
    maxBatchSize: 4,
    maxNumTokens: 10,
    tokensPerBlock: B,
    capacityBlocks: 16,
    blockReuse: true,
    ...options,
  });
}

function chainOf(length: number, first: number): TokenChain {
  const prompt = Uint32Array.from({ length }, (_, index) => first + index);
  return new TokenChain(prompt, B);
}

function prefill(length: number, maxTokens = 4, first = 0): Sequence {
  return new Sequence({ kind: 'prefill', chain: chainOf(length, first), maxTokens }, (index) => 1000 + index);
}

function imported(length: number, maxTokens = 4, first = 0): Sequence {
  return new Sequence({ kind: 'import', chain: chainOf(length, first), maxTokens }, () => null);
}

/** Runs one iteration and says how many tokens each sequence of it has computed. */
function iterate(rank: Rank): number[] {
  const plan = rank.plan();
  rank.commit(plan);
  return plan.steps.map((step) => step.numTokens);
}

describe('Rank', () => {
  it('computes a long prompt in chunks and samples after the last', () => {
    const rank = makeRank();
    const long = prefill(25);
    rank.submit(long);
    expect(iterate(rank)).toEqual([10]);
    expect(iterate(rank)).toEqual([10]);
    const plan = rank.plan();
    expect(rank.commit(plan)).toEqual([{ sequence: long, token: 1000, done: true }]);
    expect([long.phase, long.computedTokens]).toEqual(['held', 25]);
    expect(iterate(rank)).toEqual([]);
  });

  it('serves those who decode first, and prompts with what is left', () => {
    const rank = makeRank();
    const [first, second] = [prefill(4), prefill(30, 4, 100)];
    rank.submit(first);
    iterate(rank);
    rank.submit(second);
    rank.decode(first, [1000], (index) => 1000 + index, 4);
    const plan = rank.plan();
    expect(plan.steps.map(({ sequence, kind, numTokens }) => [sequence === first, kind, numTokens])).toEqual([
      [true, 'decode', 1],
      [false, 'prefill', 9],
    ]);
  });

  it('works on no more than a batch at once', () => {
    const rank = makeRank({ maxBatchSize: 2, maxNumTokens: 100 });
    for (const first of [0, 100, 200]) rank.submit(prefill(4, 4, first));
    expect(iterate(rank)).toEqual([4, 4]);
    expect(iterate(rank)).toEqual([4]);
  });

  it('lets nobody overtake one that waits for room', () => {
    const rank = makeRank({ capacityBlocks: 5, maxNumTokens: 100 });
    const [holder, large, small] = [prefill(8), prefill(12, 4, 100), prefill(2, 2, 200)];
    for (const sequence of [holder, large, small]) rank.submit(sequence);
    iterate(rank);
    expect([holder, large, small].map((sequence) => sequence.phase)).toEqual(['held', 'waiting', 'waiting']);
    rank.remove(holder);
    iterate(rank);
    expect([large, small].map((sequence) => sequence.phase)).toEqual(['held', 'held']);
  });

  it('computes at least the last token of a prompt that is cached whole', () => {
    const rank = makeRank();
    rank.submit(prefill(8));
    iterate(rank);
    const [same, longer, import8] = [prefill(8), prefill(9), imported(8)];
    for (const sequence of [same, longer, import8]) rank.submit(sequence);
    expect(iterate(rank)).toEqual([4, 1]);
    expect([same, longer, import8].map((sequence) => sequence.cachedTokens)).toEqual([4, 8, 8]);
  });

  it('makes room for an import, which computes nothing until it is decoded', () => {
    const rank = makeRank();
    const sequence = imported(8);
    rank.submit(sequence);
    expect(rank.plan()).toEqual({ steps: [], admitted: [sequence] });
    expect(rank.counts).toMatchObject({ active: 1, activeTokens: 8, held: 0, blocks: { pinned: 0, reserved: 3 } });
    rank.completeImport(sequence);
    expect(rank.counts).toMatchObject({ active: 0, activeTokens: 0, held: 1, blocks: { pinned: 2, reserved: 1 } });
  });

  it('recomputes the answer tokens that another instance has made', () => {
    const rank = makeRank();
    const sequence = imported(8, 20);
    rank.submit(sequence);
    rank.plan();
    rank.completeImport(sequence);
    rank.decode(sequence, [7, 7, 7, 7, 7], (index) => index, 20);
    const plan = rank.plan();
    expect(plan.steps).toMatchObject([{ kind: 'prefill', numTokens: 5 }]);
    expect(rank.commit(plan)).toMatchObject([{ token: 5, done: false }]);
    expect(rank.plan().steps).toMatchObject([{ kind: 'decode', numTokens: 1 }]);
  });

  it('ends an answer where the model does, or at the limit', () => {
    const rank = makeRank();
    const [short, long] = [prefill(4, 8), prefill(4, 8, 100)];
    rank.submit(short);
    rank.submit(long);
    iterate(rank);
    rank.decode(short, [1000], (index) => (index < 2 ? index : null), 8);
    rank.decode(long, [1000], (index) => index, 3);
    expect(rank.commit(rank.plan())).toMatchObject([
      { sequence: short, token: 1, done: false },
      { sequence: long, token: 1, done: false },
    ]);
    expect(rank.commit(rank.plan())).toMatchObject([
      { sequence: short, token: null, done: true },
      { sequence: long, token: 2, done: true },
    ]);
    expect([short.phase, long.phase]).toEqual(['held', 'held']);
  });

  it('skips in a commit whoever left since the plan', () => {
    const rank = makeRank();
    const sequence = prefill(4);
    rank.submit(sequence);
    const plan = rank.plan();
    rank.remove(sequence);
    rank.remove(sequence);
    expect(rank.commit(plan)).toEqual([]);
    expect(rank.counts).toMatchObject({ active: 0, held: 0, blocks: { pinned: 0, reserved: 0 } });
  });

  it('pauses a decode where it is, and nothing else', () => {
    const rank = makeRank();
    const sequence = prefill(4);
    rank.submit(sequence);
    iterate(rank);
    rank.decode(sequence, [1000], (index) => index, 4);
    rank.pause(sequence);
    expect([sequence.phase, iterate(rank)]).toEqual(['held', []]);
    rank.remove(sequence);
    rank.pause(sequence);
    expect([sequence.phase, rank.sequences]).toEqual(['gone', []]);
  });

  it('refuses to decode past the room that was kept, or less than is known', () => {
    const rank = makeRank();
    const sequence = prefill(4, 3);
    rank.submit(sequence);
    iterate(rank);
    expect(() => rank.decode(sequence, [1], () => 1, 4)).toThrow('room was kept for 3 answer tokens, not 4');
    rank.decode(sequence, [1, 2], () => 3, 3);
    iterate(rank);
    expect(() => rank.decode(sequence, [1], () => 1, 3)).toThrow('3 answer tokens are known, but only 1 were given');
  });

  it('refuses limits of nothing', () => {
    expect(() => makeRank({ maxBatchSize: 0 })).toThrow('maxBatchSize and maxNumTokens must be at least 1');
  });
});

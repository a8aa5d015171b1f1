import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { type AttentionDpOptions, createAdpRouter } from '../create-adp-router.js';

import { AssignmentQueue } from './assignment-queue.js';
import type { BalanceLimits } from './balance.js';

// Owns: what balancing and deferring do to a queue; when it holds is owned by balance.spec.ts. Nothing started twice, nothing
// lost, also with requests that leave, is owned by the worker's queue, which is made of this one.

const LIMITS: BalanceLimits = { timeoutIters: 5, batchingWaitIters: 2 };
const STRICT: AttentionDpOptions = {
  kv_cache_routing_conversation_affinity: true,
  kv_cache_routing_strict_conversation_affinity: true,
};

/** An instance as a queue sees it: ranks with so many active requests each, and what has been started on them. */
class Instance {
  readonly started: string[] = [];
  readonly queue: AssignmentQueue<string>;

  constructor(
    readonly active: number[],
    balance: BalanceLimits | null,
    options: AttentionDpOptions = {},
    readonly maxBatchSize = 2,
  ) {
    this.queue = new AssignmentQueue(createAdpRouter(options, maxBatchSize), { maxBatchSize, balance });
  }

  /** A request comes, of a conversation of its own unless one is named. */
  submit(id: string, conversationId = id): void {
    this.queue.add(id, { numInputTokens: 1, conversationId });
    this.look();
  }

  finish(rank: number): void {
    this.active[rank] = (this.active[rank] ?? 0) - 1;
    this.iterate(1);
  }

  iterate(times: number): void {
    for (let iteration = 0; iteration < times; iteration++) {
      this.queue.iterated();
      this.look();
    }
  }

  look(): void {
    const ranks = this.active.map((numActiveRequests, rank) => ({ rank, numActiveRequests, numActiveTokens: 0 }));
    for (const { id, rank, kind } of this.queue.assign(ranks)) {
      this.active[rank] = (this.active[rank] ?? 0) + 1;
      this.started.push(`${id}@${String(rank)} ${kind}`);
    }
  }
}

describe('AssignmentQueue', () => {
  it('tells the router how long a request has waited for its home, and lets others pass', () => {
    const instance = new Instance([0, 0], null, { ...STRICT, kv_cache_routing_strict_affinity_max_wait_iters: 2 });
    instance.submit('a', 'home');
    instance.submit('b', 'home');
    instance.iterate(3);
    instance.submit('c', 'home');
    instance.submit('d', 'other');
    instance.iterate(1);
    expect(instance.started).toEqual(['a@0 new', 'b@0 sticky', 'd@1 new']);
    instance.iterate(1);
    expect(instance.started.at(-1)).toBe('c@1 overflow');
  });

  it('forgets what is removed', () => {
    const instance = new Instance([2], null);
    instance.submit('gone');
    instance.submit('stays');
    instance.queue.remove('gone');
    instance.finish(0);
    expect([instance.started, instance.queue.size]).toEqual([['stays@0 new'], 0]);
  });
});

describe('AssignmentQueue that balances', () => {
  it('holds one request for the other ranks, and starts all once they fill what is free', () => {
    const instance = new Instance([1, 1, 1], LIMITS);
    instance.submit('a');
    instance.iterate(1);
    instance.submit('b');
    expect(instance.started).toEqual([]);
    instance.submit('c');
    expect(instance.started).toEqual(['a', 'b', 'c'].map((id, rank) => `${id}@${String(rank)} new`));
  });

  it('waits for a fuller batch, and no longer than it may', () => {
    const instance = new Instance([1, 1], LIMITS, {}, 4);
    instance.submit('a');
    instance.submit('b');
    instance.iterate(1);
    expect(instance.started).toEqual([]);
    instance.iterate(1);
    expect(instance.started).toHaveLength(2);
  });

  it('lets a request go alone when the time is up', () => {
    const instance = new Instance([1, 1], LIMITS);
    instance.submit('a');
    instance.iterate(4);
    expect(instance.started).toEqual([]);
    instance.iterate(1);
    expect(instance.started).toEqual(['a@0 new']);
  });

  it('never lets a rank idle', () => {
    const instance = new Instance([1, 1], LIMITS);
    instance.submit('a');
    expect(instance.started).toEqual([]);
    instance.finish(1);
    expect(instance.started).toHaveLength(1);
  });

  it('does not hold who waits for a home rank already', () => {
    const instance = new Instance([0, 0], LIMITS, STRICT, 4);
    instance.submit('first', 'home');
    instance.active.splice(0, 2, 4, 0);
    instance.submit('second', 'home');
    instance.active[1] = 1;
    instance.submit('late');
    instance.finish(0);
    expect(instance.started).toEqual(['first@0 new', 'second@0 sticky']);
    expect(instance.queue.size).toBe(1);
  });

  const arrivals = fc.array(fc.record({ come: fc.nat({ max: 3 }), leave: fc.nat({ max: 5 }) }), { maxLength: 30 });

  /** Plays arrivals and departures, one iteration each; gives what was started, and the longest that anyone waited with room. */
  function play(
    ranks: number,
    balance: BalanceLimits | null,
    steps: readonly { readonly come: number; readonly leave: number }[],
  ): { started: string[]; longest: number; left: number } {
    const instance = new Instance(new Array<number>(ranks).fill(0), balance);
    const { active, started, queue, maxBatchSize } = instance;
    let longest = 0;
    let fullAt = 0;
    const cameAt: number[] = [];
    for (const [iteration, { come, leave }] of steps.entries()) {
      for (let request = 0; request < come; request++) queue.add(idOf(cameAt.push(iteration)), { numInputTokens: 1 });
      if ((active[leave] ?? 0) > 0) instance.finish(leave);
      else instance.iterate(1);
      const oldest = cameAt[started.length];
      if (active.every((each) => each === maxBatchSize)) fullAt = iteration;
      if (oldest !== undefined) longest = Math.max(longest, iteration - Math.max(oldest - 1, fullAt));
    }
    // Whatever is left starts as room comes.
    for (let rank = 0; queue.size > 0; rank = (rank + 1) % ranks) {
      if ((active[rank] ?? 0) > 0) instance.finish(rank);
      else instance.iterate(1);
    }
    return { started, longest, left: cameAt.length - started.length };
  }

  it('starves nobody: no request waits beyond its bound while there is room, and all are started', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        fc.record({ timeoutIters: fc.nat({ max: 6 }), batchingWaitIters: fc.nat({ max: 6 }) }),
        arrivals,
        (ranks, limits, steps) => {
          const { longest, left } = play(ranks, limits, steps);
          expect(left).toBe(0);
          expect(longest).toBeLessThanOrEqual(Math.max(limits.timeoutIters, limits.batchingWaitIters));
        },
      ),
    );
  });

  it('with limits of no iterations does what one that does not balance does', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), arrivals, (ranks, steps) => {
        const balanced = play(ranks, { timeoutIters: 0, batchingWaitIters: 0 }, steps);
        expect(balanced).toEqual(play(ranks, null, steps));
      }),
    );
  });
});

function idOf(number: number): string {
  return String(number);
}

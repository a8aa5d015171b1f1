import { describe, expect, it } from '@jest/globals';
import { type AttentionDpOptions, createAdpRouter } from '@roost/adp-router';
import fc from 'fast-check';

import { CountingEngine, never, rankRequest, turn } from '../testing/counting-engine.js';

import type { BalanceLimits } from './balance.js';
import { RankQueue } from './rank-queue.js';

// Owns: what balancing does to a queue; when it holds is owned by balance.spec.ts.

describe('RankQueue that balances', () => {
  const LIMITS: BalanceLimits = { timeoutIters: 5, batchingWaitIters: 2 };
  const STRICT: AttentionDpOptions = {
    kv_cache_routing_conversation_affinity: true,
    kv_cache_routing_strict_conversation_affinity: true,
  };

  /** A queue over ranks with this many active requests, and what it has started. */
  function balancing(
    active: readonly number[],
    balance: BalanceLimits | null,
    options: AttentionDpOptions = {},
    maxBatchSize = 2,
  ): { engine: CountingEngine; queue: RankQueue; submit: (id: string) => void; started: string[] } {
    const engine = new CountingEngine(active.length, maxBatchSize);
    engine.active.splice(0, active.length, ...active);
    const router = createAdpRouter(options, engine.info.maxBatchSize);
    const queue = new RankQueue(engine, router, { maxQueued: 100, balance, now: () => 0 });
    const started: string[] = [];
    const submit = (id: string): void => {
      void queue.run(rankRequest({ conversationId: id }), never, (placement) => {
        engine.begin(placement);
        started.push(`${id}@${String(placement.rank)} ${placement.decision}`);
        return Promise.resolve();
      });
    };
    return { engine, queue, submit, started };
  }

  async function iterate(engine: CountingEngine, times: number): Promise<void> {
    for (let iteration = 0; iteration < times; iteration++) {
      engine.iterate();
      await turn();
    }
  }

  it('holds one request for the other ranks, and starts all once they fill what is free', async () => {
    const { engine, submit, started } = balancing([1, 1, 1], LIMITS);
    submit('a');
    await iterate(engine, 1);
    expect(started).toEqual([]);
    submit('b');
    submit('c');
    await turn();
    expect(started).toEqual(['a', 'b', 'c'].map((id, rank) => `${id}@${String(rank)} new`));
  });

  it('waits for a fuller batch, and no longer than it may', async () => {
    const { engine, submit, started } = balancing([1, 1], LIMITS, {}, 4);
    submit('a');
    submit('b');
    await iterate(engine, 1);
    expect(started).toEqual([]);
    await iterate(engine, 1);
    expect(started).toHaveLength(2);
  });

  it('lets a request go alone when the time is up', async () => {
    const { engine, submit, started } = balancing([1, 1], LIMITS);
    submit('a');
    await iterate(engine, 4);
    expect(started).toEqual([]);
    await iterate(engine, 1);
    expect(started).toEqual(['a@0 new']);
  });

  it('never lets a rank idle', async () => {
    const { engine, submit, started } = balancing([1, 1], LIMITS);
    submit('a');
    await turn();
    expect(started).toEqual([]);
    engine.finish(1);
    await turn();
    expect(started).toHaveLength(1);
  });

  it('does not hold who waits for a home rank already', async () => {
    const { engine, queue, submit, started } = balancing([0, 0], LIMITS, STRICT, 4);
    submit('home');
    await turn();
    engine.active.splice(0, 2, 4, 0);
    submit('home');
    await turn();
    engine.active[1] = 1;
    submit('late');
    engine.finish(0);
    await turn();
    expect(started).toEqual(['home@0 new', 'home@0 sticky']);
    expect(queue.depth).toBe(1);
  });

  const arrivals = fc.array(fc.record({ come: fc.nat({ max: 3 }), leave: fc.nat({ max: 5 }) }), { maxLength: 30 });

  /** Plays arrivals and departures, one iteration each; gives what was started, and the longest that anyone waited with room. */
  async function play(
    ranks: number,
    balance: BalanceLimits | null,
    steps: readonly { readonly come: number; readonly leave: number }[],
  ): Promise<{ started: string[]; longest: number; left: number }> {
    const { engine, queue, submit, started } = balancing(new Array<number>(ranks).fill(0), balance);
    let longest = 0;
    let fullAt = 0;
    const cameAt: number[] = [];
    for (const [iteration, { come, leave }] of steps.entries()) {
      for (let request = 0; request < come; request++) submit(String(cameAt.push(iteration)));
      if ((engine.active[leave] ?? 0) > 0) engine.finish(leave);
      else engine.iterate();
      await turn();
      const oldest = cameAt[started.length];
      if (engine.active.every((active) => active === engine.info.maxBatchSize)) fullAt = iteration;
      if (oldest !== undefined) longest = Math.max(longest, iteration - Math.max(oldest - 1, fullAt));
    }
    // Whatever is left starts as room comes.
    for (let rank = 0; queue.depth > 0; rank = (rank + 1) % ranks) {
      if ((engine.active[rank] ?? 0) > 0) engine.finish(rank);
      else engine.iterate();
      await turn();
    }
    return { started, longest, left: cameAt.length - started.length };
  }

  it('starves nobody: no request waits beyond its bound while there is room, and all are started', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.record({ timeoutIters: fc.nat({ max: 6 }), batchingWaitIters: fc.nat({ max: 6 }) }),
        arrivals,
        async (ranks, limits, steps) => {
          const { longest, left } = await play(ranks, limits, steps);
          expect(left).toBe(0);
          expect(longest).toBeLessThanOrEqual(Math.max(limits.timeoutIters, limits.batchingWaitIters));
        },
      ),
    ));

  it('with limits of no iterations does what one that does not balance does', () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), arrivals, async (ranks, steps) => {
        const balanced = await play(ranks, { timeoutIters: 0, batchingWaitIters: 0 }, steps);
        expect(balanced).toEqual(await play(ranks, null, steps));
      }),
    ));
});

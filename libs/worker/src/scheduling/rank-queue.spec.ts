import { describe, expect, it } from '@jest/globals';
import { type AttentionDpOptions, createAdpRouter } from '@roost/adp-router';
import fc from 'fast-check';

import { CountingEngine, never, rankRequest as request, turn } from '../testing/counting-engine.js';

import { type RankPlacement, RankQueue, type RankRequest } from './rank-queue.js';

// Owns: when a request is offered to the router, what it is told, and that nothing is lost or started twice.

const BY_CONVERSATION: AttentionDpOptions = { kv_cache_routing_conversation_affinity: true };

function queueOver(engine: CountingEngine, maxQueued = 100, options: AttentionDpOptions = BY_CONVERSATION): RankQueue {
  const router = createAdpRouter(options, engine.info.maxBatchSize);
  return new RankQueue(engine, router, { maxQueued, now: () => 0 });
}

describe('RankQueue', () => {
  it('keeps what no rank has room for until a request leaves a rank', async () => {
    const engine = new CountingEngine(1);
    const queue = queueOver(engine);
    const started: number[] = [];
    const start = (id: number) => (placement: RankPlacement) => {
      engine.begin(placement);
      started.push(id);
      return Promise.resolve();
    };
    for (const id of [1, 2, 3]) void queue.run(request(), never, start(id));
    await turn();
    expect([started, queue.depth]).toEqual([[1, 2], 1]);
    engine.finish(0);
    await turn();
    expect([started, queue.depth]).toEqual([[1, 2, 3], 0]);
  });

  it("sends a sub-agent to its parent's rank", async () => {
    const engine = new CountingEngine(4);
    const queue = queueOver(engine);
    const rankOf = (over: Partial<RankRequest>): Promise<string> =>
      queue.run(request(over), never, (placement) =>
        Promise.resolve(`${String(placement.rank)} ${placement.decision}`),
      );
    expect(await rankOf({ conversationId: 'other' })).toBe('0 new');
    expect(await rankOf({ conversationId: 'parent' })).toBe('1 new');
    expect(await rankOf({ conversationId: 'child', subagentAffinityId: 'parent' })).toBe('1 parent');
    expect(await rankOf({ conversationId: 'parent' })).toBe('1 sticky');
  });

  it('sends a request to the rank that holds its prompt', async () => {
    const engine = new CountingEngine(4);
    const queue = queueOver(engine, 100, { enable_kv_cache_aware_routing: true });
    const cachedTokens = (rank: number): number => (rank === 2 ? 900 : 0);
    const placed = queue.run(request({ numInputTokens: 1_000, cachedTokens }), never, (placement) =>
      Promise.resolve(`${String(placement.rank)} ${placement.decision}`),
    );
    expect(await placed).toBe('2 prefix');
  });

  it('lets a strict conversation wait for its home, and lets others pass, for as many iterations as it may', async () => {
    const engine = new CountingEngine(2);
    const queue = queueOver(engine, 100, {
      ...BY_CONVERSATION,
      kv_cache_routing_strict_conversation_affinity: true,
      kv_cache_routing_strict_affinity_max_wait_iters: 2,
    });
    const started: string[] = [];
    const run = (conversationId: string): void => {
      void queue.run(request({ conversationId }), never, (placement) => {
        engine.begin(placement);
        started.push(`${conversationId}@${String(placement.rank)} ${placement.decision}`);
        return Promise.resolve();
      });
    };
    for (const id of ['home', 'other', 'home']) run(id);
    await turn();
    run('home');
    run('late');
    await turn();
    expect(started).toEqual(['home@0 new', 'other@1 new', 'home@0 sticky', 'late@1 new']);
    engine.finish(1);
    await turn();
    expect(queue.depth).toBe(1);
    engine.finish(1);
    await turn();
    expect(started.at(-1)).toBe('home@1 overflow');
  });

  it('holds requests back for each other as it is told to', async () => {
    const engine = new CountingEngine(2);
    engine.active.fill(1);
    const router = createAdpRouter({}, engine.info.maxBatchSize);
    const balance = { timeoutIters: 2, batchingWaitIters: 1 };
    const queue = new RankQueue(engine, router, { maxQueued: 100, balance, now: () => 0 });
    const placed = queue.run(request(), never, ({ rank }) => Promise.resolve(rank));
    engine.iterate();
    await turn();
    expect(queue.depth).toBe(1);
    engine.iterate();
    await turn();
    expect(queue.depth).toBe(0);
    expect(await placed).toBe(0);
  });

  it('does not start what another job has ended in the same turn', async () => {
    const queue = queueOver(new CountingEngine(1));
    const gone = new AbortController();
    const first = queue.run(request(), never, () => {
      gone.abort(new Error('gone'));
      return Promise.resolve();
    });
    const second = queue.run(request(), gone.signal, () => Promise.reject(new Error('started')));
    await expect(second).rejects.toThrow('gone');
    await first;
  });

  it('refuses what finds it full, and says so', () => {
    const queue = queueOver(new CountingEngine(1), 0);
    expect(() => void queue.run(request(), never, () => Promise.resolve())).toThrow('queue is full');
  });

  it('forgets a request that leaves while it waits', async () => {
    const engine = new CountingEngine(1);
    engine.active[0] = 2;
    const queue = queueOver(engine);
    const gone = new AbortController();
    let started = false;
    const waiting = queue.run(request(), gone.signal, () => Promise.resolve((started = true)));
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    engine.finish(0);
    await turn();
    expect([queue.depth, started]).toEqual([0, false]);
  });

  it('starts each request once, within every cap, whatever comes and goes', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.record({ conversation: fc.nat({ max: 5 }), leaves: fc.boolean() }), { maxLength: 30 }),
        async (ranks, arrivals) => {
          const engine = new CountingEngine(ranks);
          const queue = queueOver(engine);
          const running: number[] = [];
          let settled = 0;
          let fullest = 0;
          for (const { conversation, leaves } of arrivals) {
            const controller = new AbortController();
            queue
              .run(request({ conversationId: String(conversation) }), controller.signal, (placement) => {
                engine.begin(placement);
                running.push(placement.rank);
                fullest = Math.max(fullest, ...engine.active);
                return Promise.resolve();
              })
              .catch(() => undefined)
              .finally(() => (settled += 1))
              .catch(() => undefined);
            if (leaves) controller.abort(new Error('gone'));
          }
          await turn();
          for (let rank = running.shift(); rank !== undefined; rank = running.shift()) {
            engine.finish(rank);
            await turn();
          }
          await turn();
          expect([queue.depth, settled]).toEqual([0, arrivals.length]);
          expect(fullest).toBeLessThanOrEqual(2);
          expect(engine.active.every((count) => count === 0)).toBe(true);
        },
      ),
    ));
});

import { describe, expect, it } from '@jest/globals';
import { createAdpRouter } from '@roost/adp-router';
import type { EngineInfo, RankState } from '@roost/engine';
import fc from 'fast-check';

import { type RankPlacement, RankQueue, type RankRequest } from './rank-queue.js';

// Owns: when a request is offered to the router, what it is told, and that nothing is lost or started twice.

const never = new AbortController().signal;

class CountingEngine {
  readonly info = { maxBatchSize: 2 } as EngineInfo;
  private readonly listeners = new Set<() => void>();
  readonly active: number[];

  constructor(ranks: number) {
    this.active = Array.from({ length: ranks }, () => 0);
  }

  rankStates(): RankState[] {
    return this.active.map((numActiveRequests, rank) => ({
      rank,
      numActiveRequests,
      numActiveTokens: 0,
      kvBlocksTotal: 0,
      kvBlocksPinned: 0,
      kvBlocksCached: 0,
      numHeldHandoffs: 0,
    }));
  }

  onIteration(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  begin({ rank }: RankPlacement): void {
    this.active[rank] = (this.active[rank] ?? 0) + 1;
  }

  finish(rank: number): void {
    this.active[rank] = (this.active[rank] ?? 0) - 1;
    for (const listener of this.listeners) listener();
  }
}

const request = (over: Partial<RankRequest> = {}): RankRequest => ({
  numInputTokens: 1,
  conversationId: null,
  subagentAffinityId: null,
  attentionDpRank: null,
  attentionDpRelax: null,
  ...over,
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function queueOver(engine: CountingEngine, maxQueued = 100): RankQueue {
  const router = createAdpRouter({ kv_cache_routing_conversation_affinity: true }, engine.info.maxBatchSize);
  return new RankQueue(engine, router, maxQueued, () => 0);
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
          for (let rank = running.shift(); rank !== undefined; rank = running.shift()) engine.finish(rank);
          await turn();
          expect([queue.depth, settled]).toEqual([0, arrivals.length]);
          expect(fullest).toBeLessThanOrEqual(2);
          expect(engine.active.every((count) => count === 0)).toBe(true);
        },
      ),
    ));
});

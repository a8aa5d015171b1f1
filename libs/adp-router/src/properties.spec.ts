/** What holds for every sequence of batches, and equality with a model that is written for plainness alone. Scenario 4 of reference 8.6 is here. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { AdpCapacityExceeded } from './errors.js';
import { PLACEMENTS, selectPlacement } from './placements/placements.js';
import type { AdpRequest, AdpRouter, Assignment, RankLoad } from './ports/adp-router.js';
import { ConversationRouter } from './routers/conversation/conversation-router.js';
import { DefaultRouter } from './routers/default/default-router.js';
import { KvCacheAwareRouter } from './routers/kv-cache-aware/kv-cache-aware-router.js';

interface Batch {
  readonly ranks: readonly RankLoad[];
  readonly requests: readonly AdpRequest<number>[];
}

interface Run {
  readonly cap: number;
  readonly maxSessions: number;
  readonly multiplier: number;
  readonly placement: string;
  readonly batches: readonly Batch[];
}

const conversation = fc.option(fc.integer({ min: 0, max: 9 }).map((n) => `conv-${String(n)}`));

function batchOf(numRanks: number, cap: number): fc.Arbitrary<Batch> {
  const load = fc.record({ active: fc.nat(cap + 1), tokens: fc.nat(3000), pending: fc.nat(3000) });
  const request = fc.record({
    numInputTokens: fc.nat(2000),
    conversationId: conversation,
    subagentAffinityId: conversation,
    attentionDpRank: fc.option(fc.integer({ min: -1, max: numRanks })),
    attentionDpRelax: fc.option(fc.boolean()),
    cachedTokens: fc.array(fc.nat(2500), { maxLength: numRanks }).map((cached) => (rank: number) => cached[rank] ?? 0),
  });
  return fc
    .record({
      ranks: fc.array(load, { minLength: numRanks, maxLength: numRanks }),
      requests: fc.array(request, { maxLength: numRanks * cap }),
    })
    .map(({ ranks, requests }) => {
      const room = ranks.map(({ active }) => Math.max(0, cap - active));
      const capacity = room.reduce((a, b) => a + b, 0);
      return {
        ranks: ranks.map(({ active, tokens, pending }, rank) => ({
          rank,
          numActiveRequests: active,
          numActiveTokens: tokens,
          numPendingPrefillTokens: pending,
        })),
        requests: requests.slice(0, capacity).map((fields, id) => ({ id, ...fields })),
      };
    });
}

const run: fc.Arbitrary<Run> = fc
  .record({
    numRanks: fc.integer({ min: 1, max: 6 }),
    cap: fc.integer({ min: 1, max: 6 }),
    maxSessions: fc.integer({ min: 1, max: 8 }),
    multiplier: fc.constantFrom(0.5, 1, 1.5, 2, 3),
    placement: fc.constantFrom(...PLACEMENTS.map(({ name }) => name)),
  })
  .chain(({ numRanks, ...options }) =>
    fc.record({
      cap: fc.constant(options.cap),
      maxSessions: fc.constant(options.maxSessions),
      multiplier: fc.constant(options.multiplier),
      placement: fc.constant(options.placement),
      batches: fc.array(batchOf(numRanks, options.cap), {
        minLength: 1,
        maxLength: 6,
      }),
    }),
  );

function conversationRouter(of: Run): ConversationRouter {
  return new ConversationRouter({
    maxNumActiveRequests: of.cap,
    maxSessions: of.maxSessions,
    fairShareMultiplier: of.multiplier,
    placement: selectPlacement(of.placement),
  });
}

const ROUTERS: readonly [string, (of: Run) => AdpRouter][] = [
  ['conversation router', conversationRouter],
  ['default router', ({ cap }) => new DefaultRouter(cap)],
  [
    'KV-cache-aware router',
    ({ cap, multiplier, maxSessions }) =>
      new KvCacheAwareRouter({
        maxNumActiveRequests: cap,
        loadBalanceWeight: multiplier,
        matchRateThreshold: 0.1,
        fairShareMultiplier: multiplier,
        coldStartWarmup: maxSessions > 4,
        accountForInTransfer: false,
      }),
  ],
];

function keyOf(request: AdpRequest<number> | undefined): string {
  return request?.subagentAffinityId ?? request?.conversationId ?? '';
}

/** Reference 6.2, read line by line. */
class NaiveConversationRouter {
  readonly bound = new Map<string, number>();
  private cursor = 0;

  constructor(private readonly of: Run) {}

  assign({ ranks, requests }: Batch): number[][] {
    const active = ranks.map((rank) => rank.numActiveRequests);
    const tokens = ranks.map((rank) => rank.numActiveTokens);
    const pending = ranks.map((rank) => rank.numPendingPrefillTokens ?? 0);
    const byRank: number[][] = ranks.map(() => []);
    const put = (request: AdpRequest<number>, rank: number): void => {
      byRank[rank]?.push(request.id);
      active[rank] = Number(active[rank]) + 1;
      tokens[rank] = Number(tokens[rank]) + request.numInputTokens;
      pending[rank] = Number(pending[rank]) + uncached(request, rank);
    };
    const relax = (request: AdpRequest<number>): number => (request.attentionDpRelax === false ? 0 : 1);

    const rest: AdpRequest<number>[] = [];
    for (const request of requests.toSorted((a, b) => relax(a) - relax(b))) {
      const rank = request.attentionDpRank ?? -1;
      const asked = (active[rank] ?? Infinity) < this.of.cap;
      if (asked && !this.bound.has(keyOf(request))) {
        put(request, rank);
        this.bind(keyOf(request), rank);
      } else rest.push(request);
    }

    const total = active.reduce((a, b) => a + b, rest.length);
    const share = Math.ceil(total / ranks.length);
    const wanted = Math.ceil(Math.max(1, this.of.multiplier) * share);
    const soft = Math.min(Math.max(wanted, ...active), this.of.cap);
    for (const request of rest) {
      const home = this.bound.get(keyOf(request));
      if (home !== undefined && Number(active[home]) < this.of.cap) {
        this.bind(keyOf(request), home);
        put(request, home);
      } else {
        const left = pending.map((count, at) => count + uncached(request, at));
        const rank = this.place(active, tokens, left, soft);
        put(request, rank);
        if (home === undefined) this.bind(keyOf(request), rank);
      }
    }
    return byRank;
  }

  private bind(key: string, rank: number): void {
    if (key === '') return;
    this.bound.delete(key);
    this.bound.set(key, rank);
    const [oldest = ''] = this.bound.keys();
    if (this.bound.size > this.of.maxSessions) this.bound.delete(oldest);
  }

  private place(active: number[], tokens: number[], left: number[], soft: number): number {
    const distance = (rank: number): number => (rank - this.cursor + active.length) % active.length;
    const order: Record<string, (rank: number) => number[]> = {
      round_robin: (rank) => [distance(rank)],
      least_queued: (rank) => [Number(active[rank]), rank],
      least_tokens: (rank) => [Number(tokens[rank]), Number(active[rank]), distance(rank)],
      least_prefill: (rank) => [Number(left[rank]), Number(active[rank]), distance(rank)],
    };
    const rankBy = order[this.of.placement] ?? (() => []);
    const [best = -1] = [...active.keys()]
      .filter((rank) => Number(active[rank]) < soft)
      .sort((a, b) => compare(rankBy(a), rankBy(b)));
    this.cursor = (best + 1) % active.length;
    return best;
  }
}

function uncached({ numInputTokens, cachedTokens }: AdpRequest<number>, rank: number): number {
  return numInputTokens - Math.min(cachedTokens?.(rank) ?? 0, numInputTokens);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : Number(a[at]) - Number(b[at]);
}

/** Requests on each rank after the batch. */
function after(batch: Batch, assignment: Assignment<number>): number[] {
  return batch.ranks.map(({ rank, numActiveRequests }) => numActiveRequests + (assignment.byRank[rank]?.length ?? 0));
}

describe.each(ROUTERS)('%s', (_, create) => {
  test('assigns each request exactly once, and says so once', () => {
    fc.assert(
      fc.property(run, (of) => {
        const router = create(of);
        for (const { ranks, requests } of of.batches) {
          const { byRank, decisions, deferred } = router.assign(ranks, requests);
          expect(deferred).toEqual([]);
          const ids = requests.map(({ id }) => id);
          expect(byRank.flat().sort((a, b) => a - b)).toEqual(ids);
          for (const [rank, onRank] of byRank.entries()) {
            const decided = decisions.filter((made) => made.rank === rank);
            expect(decided.map(({ id }) => id)).toEqual(onRank);
          }
          expect(decisions).toHaveLength(ids.length);
        }
      }),
    );
  });

  test('takes no rank above its hard cap, and expects at least what every rank has', () => {
    fc.assert(
      fc.property(run, (of) => {
        const router = create(of);
        for (const batch of of.batches) {
          const assignment = router.assign(batch.ranks, batch.requests);
          for (const [rank, active] of after(batch, assignment).entries()) {
            const before = batch.ranks[rank]?.numActiveRequests ?? 0;
            expect(active).toBeLessThanOrEqual(Math.max(of.cap, before));
            expect(active).toBeLessThanOrEqual(assignment.expectedNumActiveRequests);
          }
        }
      }),
    );
  });

  test('scenario 4: two instances agree, in whatever order the ranks are listed', () => {
    fc.assert(
      fc.property(run, (of) => {
        const [one, other] = [create(of), create(of)];
        for (const { ranks, requests } of of.batches) {
          expect(other.assign(ranks.toReversed(), requests)).toEqual(one.assign(ranks, requests));
        }
      }),
    );
  });

  test('refuses more requests than there is room for, and is unchanged by it', () => {
    fc.assert(
      fc.property(run, (of) => {
        const [one, other] = [create(of), create(of)];
        for (const { ranks, requests } of of.batches) {
          const full = ranks.map((load) => ({
            ...load,
            numActiveRequests: of.cap,
          }));
          const extra = { id: -1, numInputTokens: 1, conversationId: 'extra' };
          expect(() => one.assign(full, [extra])).toThrow(AdpCapacityExceeded);
          expect(one.assign(ranks, requests)).toEqual(other.assign(ranks, requests));
        }
      }),
    );
  });
});

describe('conversation router, bindings', () => {
  test('equals the plain reading of the reference, bindings and their order included', () => {
    fc.assert(
      fc.property(run, (of) => {
        const router = conversationRouter(of);
        const naive = new NaiveConversationRouter(of);
        for (const batch of of.batches) {
          const { byRank } = router.assign(batch.ranks, batch.requests);
          expect(byRank).toEqual(naive.assign(batch));
          expect([...router.bindings()]).toEqual([...naive.bound]);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('keeps at most max_sessions of them', () => {
    fc.assert(
      fc.property(run, (of) => {
        const router = conversationRouter(of);
        for (const { ranks, requests } of of.batches) {
          router.assign(ranks, requests);
          expect([...router.bindings()].length).toBeLessThanOrEqual(of.maxSessions);
        }
      }),
    );
  });

  test('goes home while home is below the hard cap, and neither that nor an overflow rebinds', () => {
    fc.assert(
      fc.property(run, (of) => {
        const router = conversationRouter({ ...of, maxSessions: 1000 });
        for (const { ranks, requests } of of.batches) {
          const homes = new Map(router.bindings());
          const { decisions } = router.assign(ranks, requests);
          expect([...router.bindings()]).toEqual(expect.arrayContaining([...homes]));
          const active = ranks.map((load) => load.numActiveRequests);
          for (const { id, rank, kind } of decisions) {
            const home = homes.get(keyOf(requests[id]));
            const isFull = Number(active[home ?? -1]) >= of.cap;
            expect(rank === home).toBe(home !== undefined && !isFull);
            expect(kind === 'overflow').toBe(isFull || kind === 'overflow');
            active[rank] = Number(active[rank]) + 1;
          }
        }
      }),
    );
  });
});

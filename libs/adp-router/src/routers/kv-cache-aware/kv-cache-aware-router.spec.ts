// Owns: single promises of the KV-cache-aware router. What holds for all routers is in ../../properties.spec.ts, the score against a plain model in model.spec.ts.
import { describe, expect, test } from '@jest/globals';

import type { AdpRequest, Assignment, RankLoad } from '../../ports/adp-router.js';

import { KvCacheAwareRouter, type KvCacheAwareRouterOptions } from './kv-cache-aware-router.js';

function create(options: Partial<KvCacheAwareRouterOptions> = {}): KvCacheAwareRouter {
  return new KvCacheAwareRouter({
    maxNumActiveRequests: 8,
    loadBalanceWeight: 1,
    matchRateThreshold: 0.1,
    fairShareMultiplier: 2,
    coldStartWarmup: false,
    accountForInTransfer: false,
    ...options,
  });
}

function rank(number: number, numActiveRequests = 0, more: Partial<RankLoad> = {}): RankLoad {
  return { rank: number, numActiveRequests, numActiveTokens: numActiveRequests * 100, ...more };
}

/** A prompt of 100 tokens, cached on the ranks as told. */
function prompt(
  id: number,
  cached: readonly number[] = [],
  more: Partial<AdpRequest<number>> = {},
): AdpRequest<number> {
  return { id, numInputTokens: 100, cachedTokens: (at) => cached[at] ?? 0, ...more };
}

const chosen = ({ decisions }: Assignment<number>): string[] =>
  decisions.map((made) => `${String(made.id)}>${String(made.rank)} ${made.kind}`);

describe('the score', () => {
  const idle = [rank(0), rank(1), rank(2)];

  test('sends a request to where most of its prompt is cached', () => {
    expect(chosen(create().assign(idle, [prompt(0, [20, 60, 40])]))).toEqual(['0>1 prefix']);
  });

  test('counts a match above the threshold only, and then that of every rank', () => {
    expect(chosen(create().assign(idle, [prompt(0, [0, 0, 10])]))).toEqual(['0>0 new']);
    expect(chosen(create().assign(idle, [prompt(0, [0, 0, 11])]))).toEqual(['0>2 prefix']);
    const ranks = [rank(0, 2, { numActiveTokens: 1000 }), rank(1, 1, { numActiveTokens: 0 })];
    expect(chosen(create().assign(ranks, [prompt(0, [100, 5])]))).toEqual(['0>1 new']);
  });

  test('weighs load by beta', () => {
    const ranks = [rank(0, 1, { numActiveTokens: 600 }), rank(1, 1, { numActiveTokens: 400 })];
    const to = (loadBalanceWeight: number): string[] =>
      chosen(create({ loadBalanceWeight }).assign(ranks, [prompt(0, [50, 20])]));
    expect(to(0)).toEqual(['0>0 prefix']);
    expect(to(1)).toEqual(['0>0 prefix']);
    expect(to(2)).toEqual(['0>1 prefix']);
  });

  test('takes pending prefill for load where every rank knows it', () => {
    const [busy, free] = [
      { numActiveTokens: 0, numPendingPrefillTokens: 900 },
      { numActiveTokens: 900, numPendingPrefillTokens: 0 },
    ];
    expect(chosen(create().assign([rank(0, 1, busy), rank(1, 1, free)], [prompt(0)]))).toEqual(['0>1 new']);
    const unknown = rank(1, 1, { numActiveTokens: 900 });
    expect(chosen(create().assign([rank(0, 1, busy), unknown], [prompt(0)]))).toEqual(['0>0 new']);
  });

  test('counts what this batch has put on a rank, without what is cached there', () => {
    const batch = [prompt(0, [100, 0]), prompt(1), prompt(2)];
    expect(chosen(create().assign([rank(0), rank(1)], batch))).toEqual(['0>0 prefix', '1>1 new', '2>0 new']);
  });

  test('lets equals take turns, over calls too', () => {
    const router = create();
    const two = chosen(router.assign(idle, [prompt(0), prompt(1)]));
    const more = chosen(router.assign(idle, [prompt(2), prompt(3)]));
    expect([...two, ...more]).toEqual(['0>0 new', '1>1 new', '2>2 new', '3>0 new']);
  });

  test('takes no prompt for a prompt without tokens', () => {
    expect(chosen(create().assign(idle, [{ id: 0, numInputTokens: 0 }]))).toEqual(['0>0 new']);
  });
});

describe('caps', () => {
  test('the soft cap stops what the score would pile up', () => {
    const batch = [0, 1, 2, 3].map((id) => prompt(id, [100]));
    const to = (fairShareMultiplier: number): number[] =>
      create({ fairShareMultiplier, loadBalanceWeight: 0 })
        .assign([rank(0), rank(1)], batch)
        .byRank.map((ids) => ids.length);
    expect(to(1)).toEqual([2, 2]);
    expect(to(1.5)).toEqual([3, 1]);
    expect(to(2)).toEqual([4, 0]);
    expect(to(0.1)).toEqual([2, 2]);
  });

  test('the hard cap stops it before that, and is what is expected at most', () => {
    const batch = [0, 1, 2].map((id) => prompt(id, [100]));
    const assignment = create({ maxNumActiveRequests: 2, fairShareMultiplier: 9 }).assign([rank(0), rank(1)], batch);
    expect(assignment.byRank).toEqual([[0, 1], [2]]);
    expect(assignment.expectedNumActiveRequests).toBe(2);
  });
});

describe('explicit ranks', () => {
  test('go before the score, strict ones before the others, while there is room', () => {
    const router = create({ maxNumActiveRequests: 1 });
    const batch = [
      prompt(0, [100], { attentionDpRank: 1 }),
      prompt(1, [100], { attentionDpRank: 1, attentionDpRelax: false }),
    ];
    expect(chosen(router.assign([rank(0), rank(1)], batch))).toEqual(['1>1 explicit', '0>0 prefix']);
  });

  test('weigh what is not cached of them', () => {
    const batch = [prompt(0, [], { attentionDpRank: 0 }), prompt(1)];
    expect(chosen(create().assign([rank(0), rank(1)], batch))).toEqual(['0>0 explicit', '1>1 new']);
  });
});

describe('cold start warm-up', () => {
  const warm = (options: Partial<KvCacheAwareRouterOptions> = {}): KvCacheAwareRouter =>
    create({ coldStartWarmup: true, ...options });
  const everywhereButLast = [90, 90, 0];

  test('gives every rank a request before the score decides', () => {
    const router = warm();
    const one = (id: number): string[] =>
      chosen(router.assign([rank(0), rank(1), rank(2)], [prompt(id, everywhereButLast)]));
    expect([0, 1, 2, 3].flatMap(one)).toEqual(['0>0 new', '1>1 new', '2>2 new', '3>0 prefix']);
  });

  test('takes an explicit request for one', () => {
    const router = warm();
    const batch = [prompt(0, [], { attentionDpRank: 1 }), prompt(1), prompt(2), prompt(3, [0, 0, 100])];
    expect(chosen(router.assign([rank(0), rank(1), rank(2)], batch))).toEqual([
      '0>1 explicit',
      '1>0 new',
      '2>2 new',
      '3>2 prefix',
    ]);
  });

  test('passes over a full rank and comes back to it', () => {
    const router = warm({ maxNumActiveRequests: 2 });
    expect(chosen(router.assign([rank(0, 2), rank(1)], [prompt(0), prompt(1, [0, 100])]))).toEqual([
      '0>1 new',
      '1>1 prefix',
    ]);
    expect(chosen(router.assign([rank(0, 1), rank(1)], [prompt(2, [0, 100])]))).toEqual(['2>0 new']);
  });
});

describe('requests in transfer', () => {
  const sending = (numInTransfer: number): RankLoad[] => [rank(0, 1, { numInTransfer }), rank(1, 1)];

  test('are no load by default', () => {
    expect(chosen(create().assign(sending(5), [prompt(0)]))).toEqual(['0>0 new']);
  });

  test('weigh as many tokens as the mean active request', () => {
    const router = create({ accountForInTransfer: true });
    const ranks = [rank(0, 1, { numInTransfer: 1 }), rank(1, 1, { numActiveTokens: 299 })];
    // The mean is 200: rank 0 has 300.
    expect(chosen(router.assign(ranks, [prompt(0)]))).toEqual(['0>1 new']);
    expect(chosen(router.assign([rank(0), rank(1, 0, { numInTransfer: 1 })], [prompt(0)]))).toEqual(['0>0 new']);
  });

  test('weigh as the mean prompt of the batch where none is active', () => {
    const router = create({ accountForInTransfer: true, fairShareMultiplier: 9 });
    // 99 of 100 cached on rank 0 make up for 52 tokens in transfer there, not for 100.
    const ranks = [rank(0, 0, { numInTransfer: 1 }), rank(1)];
    expect(chosen(router.assign(ranks, [prompt(0, [99])]))).toEqual(['0>1 new']);
    expect(chosen(router.assign(ranks, [prompt(0, [99]), { ...prompt(1), numInputTokens: 4 }]))[0]).toBe('0>0 prefix');
  });

  test('count for the soft cap, and not for the hard cap', () => {
    const router = create({
      accountForInTransfer: true,
      maxNumActiveRequests: 2,
      loadBalanceWeight: 0,
      fairShareMultiplier: 1,
    });
    const cachedOn0 = [prompt(0, [100])];
    expect(chosen(router.assign(sending(9), cachedOn0))).toEqual(['0>1 new']);
    expect(chosen(router.assign([rank(0, 1, { numInTransfer: 9 }), rank(1, 2)], cachedOn0))).toEqual(['0>0 prefix']);
  });
});

test.each([
  { loadBalanceWeight: -1 },
  { loadBalanceWeight: Number.NaN },
  { loadBalanceWeight: Infinity },
  { matchRateThreshold: -0.1 },
  { matchRateThreshold: 1.1 },
  { matchRateThreshold: Number.NaN },
  { fairShareMultiplier: Number.NaN },
  { maxNumActiveRequests: 0 },
])('refuses %p', (nonsense) => {
  expect(() => create(nonsense)).toThrow(RangeError);
});

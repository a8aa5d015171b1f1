// Owns: equality of the KV-cache-aware router with its README, read line by line and with no care for speed.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import type { AdpRequest, RankLoad } from '../../ports/adp-router.js';

import { KvCacheAwareRouter, type KvCacheAwareRouterOptions } from './kv-cache-aware-router.js';

interface Step {
  readonly ranks: readonly RankLoad[];
  readonly requests: readonly AdpRequest<number>[];
}

const at = (values: readonly number[], rank: number): number => values[rank] ?? 0;
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

class Model {
  private readonly warm = new Set<number>();
  private last = -1;

  constructor(private readonly options: KvCacheAwareRouterOptions) {}

  assign({ ranks, requests }: Step): number[][] {
    const cap = this.options.maxNumActiveRequests;
    const active = ranks.map(({ numActiveRequests }) => numActiveRequests);
    const isKnown = ranks.every((rank) => rank.numPendingPrefillTokens !== undefined);
    const load = ranks.map((rank) => (isKnown ? (rank.numPendingPrefillTokens ?? 0) : rank.numActiveTokens));
    const held = ranks.map((rank) => (this.options.accountForInTransfer ? (rank.numInTransfer ?? 0) : 0));
    const prompts = requests.map(({ numInputTokens }) => numInputTokens);
    const perRequest = sum(active) > 0 ? sum(load) / sum(active) : sum(prompts) / Math.max(1, prompts.length);
    const heldLoad = held.map((count) => count * Math.round(perRequest));
    const byRank: number[][] = ranks.map(() => []);
    const put = (request: AdpRequest<number>, rank: number): void => {
      byRank[rank]?.push(request.id);
      active[rank] = at(active, rank) + 1;
      load[rank] = at(load, rank) + request.numInputTokens - (request.cachedTokens?.(rank) ?? 0);
      this.warm.add(rank);
    };

    const strict = requests.filter(({ attentionDpRelax }) => attentionDpRelax === false);
    const relaxed = requests.filter(({ attentionDpRelax }) => attentionDpRelax !== false);
    const rest: AdpRequest<number>[] = [];
    for (const request of [...strict, ...relaxed]) {
      const asked = [...active.keys()].filter((rank) => rank === request.attentionDpRank);
      const cold = this.options.coldStartWarmup ? [...active.keys()].filter((rank) => !this.warm.has(rank)) : [];
      const [rank] = (asked.length > 0 ? asked : cold).filter((one) => at(active, one) < cap);
      if (rank === undefined) rest.push(request);
      else put(request, rank);
    }

    const counts = (): number[] => active.map((count, rank) => count + at(held, rank));
    const fair = Math.ceil((sum(counts()) + rest.length) / ranks.length);
    const soft = Math.max(Math.ceil(Math.max(1, this.options.fairShareMultiplier) * fair), ...counts());
    for (const request of rest) {
      const free = [...active.keys()].filter((rank) => at(active, rank) < cap);
      const below = free.filter((rank) => at(counts(), rank) < soft);
      const loads = load.map((tokens, rank) => tokens + at(heldLoad, rank));
      put(request, this.best(request, below.length > 0 ? below : free, loads, counts()));
    }
    return byRank;
  }

  private best(request: AdpRequest<number>, ranks: number[], loads: number[], counts: number[]): number {
    const { loadBalanceWeight, matchRateThreshold } = this.options;
    const length = Math.max(1, request.numInputTokens);
    const rate = (rank: number): number => (request.cachedTokens?.(rank) ?? 0) / length;
    const isOpen = Math.max(...ranks.map(rate)) > matchRateThreshold;
    const total = Math.max(sum(ranks.map((rank) => at(loads, rank))), length);
    const score = (rank: number): number => (isOpen ? rate(rank) : 0) - loadBalanceWeight * (at(loads, rank) / total);
    const order = (rank: number): number[] => [
      -score(rank),
      at(loads, rank),
      at(counts, rank),
      (rank - this.last - 1 + 2 * loads.length) % loads.length,
    ];
    const [best = -1] = ranks.toSorted((a, b) => compare(order(a), order(b)));
    this.last = best;
    return best;
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  const differs = a.findIndex((value, index) => value !== b[index]);
  return differs < 0 ? 0 : at(a, differs) - at(b, differs);
}

const run = fc
  .record({
    numRanks: fc.integer({ min: 1, max: 5 }),
    options: fc.record({
      maxNumActiveRequests: fc.integer({ min: 1, max: 6 }),
      loadBalanceWeight: fc.constantFrom(0, 0.5, 1, 3),
      matchRateThreshold: fc.constantFrom(0, 0.25, 1),
      fairShareMultiplier: fc.constantFrom(0.5, 1, 2),
      coldStartWarmup: fc.boolean(),
      accountForInTransfer: fc.boolean(),
    }),
  })
  .chain(({ numRanks, options }) =>
    fc.record({ options: fc.constant(options), steps: fc.array(stepOf(numRanks, options.maxNumActiveRequests)) }),
  );

function stepOf(numRanks: number, cap: number): fc.Arbitrary<Step> {
  // Powers of two keep sums and shares exact, and make ties.
  const tokens = fc.constantFrom(0, 64, 128, 256, 1024);
  const load = fc.record({
    numActiveRequests: fc.nat(cap),
    numActiveTokens: tokens,
    numInTransfer: fc.constantFrom(0, 1, 2, 4),
    pending: fc.option(tokens, { freq: 20 }),
  });
  const request = fc.record({
    numInputTokens: fc.constantFrom(0, 64, 128, 256),
    cached: fc.array(fc.constantFrom(0, 0.25, 0.5, 1), { minLength: numRanks, maxLength: numRanks }),
    attentionDpRank: fc.option(fc.integer({ min: -1, max: numRanks })),
    attentionDpRelax: fc.option(fc.boolean()),
  });
  return fc
    .record({
      loads: fc.array(load, { minLength: numRanks, maxLength: numRanks }),
      requests: fc.array(request, { maxLength: 8 }),
    })
    .map(({ loads, requests }) => ({
      ranks: loads.map(({ pending, ...rest }, rank) => ({
        rank,
        ...rest,
        ...(pending !== null && { numPendingPrefillTokens: pending }),
      })),
      requests: requests
        .slice(0, sum(loads.map(({ numActiveRequests }) => cap - numActiveRequests)))
        .map(({ cached, ...rest }, id) => ({
          id,
          ...rest,
          cachedTokens: (rank: number) => rest.numInputTokens * at(cached, rank),
        })),
    }));
}

test('equals the README, whatever comes', () => {
  fc.assert(
    fc.property(run, ({ options, steps }) => {
      const router = new KvCacheAwareRouter(options);
      const model = new Model(options);
      for (const step of steps) expect(router.assign(step.ranks, step.requests).byRank).toEqual(model.assign(step));
    }),
    { numRuns: 2000 },
  );
});

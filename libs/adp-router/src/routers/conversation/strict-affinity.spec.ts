// Owns: who waits for a full home rank under strict affinity, for how long, and that nobody else does.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { createAdpRouter } from '../../create-adp-router.js';
import type { AdpRequest, AdpRouter, Assignment, RankLoad } from '../../ports/adp-router.js';

function create(maxWaitIters?: number, cap = 2): AdpRouter {
  return createAdpRouter(
    {
      kv_cache_routing_conversation_affinity: true,
      kv_cache_routing_strict_conversation_affinity: true,
      kv_cache_routing_strict_affinity_max_wait_iters: maxWaitIters,
    },
    cap,
  );
}

const loads = (...active: number[]): RankLoad[] =>
  active.map((numActiveRequests, rank) => ({ rank, numActiveRequests, numActiveTokens: numActiveRequests }));

function turn(id: number, conversationId: string | null, more: Partial<AdpRequest<number>> = {}): AdpRequest<number> {
  return { id, numInputTokens: 1, conversationId, ...more };
}

const outcome = ({ decisions, deferred }: Assignment<number>): string[] => [
  ...decisions.map((made) => `${String(made.id)}>${String(made.rank)} ${made.kind}`),
  ...deferred.map((id) => `${String(id)} waits`),
];

/** A router with conversation `a` at home on rank 0. */
function withHome(maxWaitIters?: number, cap = 2): AdpRouter {
  const router = create(maxWaitIters, cap);
  router.assign(loads(0, 0), [turn(0, 'a')]);
  return router;
}

describe('strict affinity', () => {
  test('waits for a full home, keeps it, and holds up nobody', () => {
    const router = withHome();
    expect(outcome(router.assign(loads(2, 0), [turn(1, 'a'), turn(2, 'b'), turn(3, null)]))).toEqual([
      '2>1 new',
      '3>1 new',
      '1 waits',
    ]);
    expect(outcome(router.assign(loads(1, 2), [turn(1, 'a', { waitedIters: 1 })]))).toEqual(['1>0 sticky']);
  });

  test('makes sub-agents wait for the rank of their parent', () => {
    const router = withHome();
    const child = turn(1, 'child', { subagentAffinityId: 'a' });
    expect(outcome(router.assign(loads(2, 0), [child]))).toEqual(['1 waits']);
    expect(outcome(router.assign(loads(1, 0), [{ ...child, waitedIters: 3 }]))).toEqual(['1>0 parent']);
  });

  test('overflows after the longest wait, and comes home next time', () => {
    const router = withHome(3);
    const after = (waitedIters: number): string[] =>
      outcome(router.assign(loads(2, 0), [turn(1, 'a', { waitedIters })]));
    expect([0, 1, 2, 3].flatMap(after)).toEqual(['1 waits', '1 waits', '1 waits', '1>1 overflow']);
    expect(outcome(router.assign(loads(0, 0), [turn(2, 'a')]))).toEqual(['2>0 sticky']);
  });

  test.each([undefined, 0])('has no longest wait when that is %p', (maxWaitIters) => {
    const waiting = turn(1, 'a', { waitedIters: 1e9 });
    expect(outcome(withHome(maxWaitIters).assign(loads(2, 0), [waiting]))).toEqual(['1 waits']);
  });

  test('serves the longest wait first, before strict and explicit newcomers', () => {
    const router = withHome(undefined, 3);
    const newcomers = [turn(1, null, { attentionDpRank: 0, attentionDpRelax: false }), turn(2, 'a')];
    const waiting = [turn(3, 'a', { waitedIters: 1 }), turn(4, 'a', { waitedIters: 2 })];
    expect(outcome(router.assign(loads(1, 0), [...newcomers, ...waiting]))).toEqual([
      '4>0 sticky',
      '3>0 sticky',
      '1>1 new',
      '2 waits',
    ]);
  });

  test('serves the longest wait first, also before explicit ranks that have waited', () => {
    const explicit = { attentionDpRank: 0, attentionDpRelax: false };
    const waiting = [turn(1, null, { ...explicit, waitedIters: 2 }), turn(2, 'a', { waitedIters: 3 })];
    expect(outcome(withHome().assign(loads(1, 0), waiting))).toEqual(['2>0 sticky', '1>1 new']);
  });

  test('takes more requests than there is room for, and defers the last', () => {
    const router = create();
    expect(outcome(router.assign(loads(2, 1), [turn(1, 'x'), turn(2, null)]))).toEqual(['1>1 new', '2 waits']);
    expect(outcome(router.assign(loads(2, 2), [turn(2, null), turn(3, 'x')]))).toEqual(['2 waits', '3 waits']);
  });

  test('binds no key by waiting', () => {
    const router = create();
    router.assign(loads(2, 2), [turn(1, 'x')]);
    expect(outcome(router.assign(loads(2, 0), [turn(1, 'x', { waitedIters: 1 })]))).toEqual(['1>1 new']);
  });

  test('keeps a home that is waited for from being evicted', () => {
    const options = {
      kv_cache_routing_conversation_affinity: true,
      kv_cache_routing_strict_conversation_affinity: true,
      kv_cache_routing_max_sessions: 2,
    };
    const router = createAdpRouter(options, 2);
    router.assign(loads(0, 0), [turn(0, 'a'), turn(1, 'b')]);
    router.assign(loads(2, 0), [turn(2, 'a')]);
    router.assign(loads(2, 0), [turn(3, 'c')]);
    expect(outcome(router.assign(loads(0, 0), [turn(2, 'a', { waitedIters: 2 })]))).toEqual(['2>0 sticky']);
  });

  test('is off unless it is asked for', () => {
    const router = createAdpRouter({ kv_cache_routing_conversation_affinity: true }, 2);
    expect([router.canDefer, create().canDefer]).toEqual([false, true]);
    router.assign(loads(0, 0), [turn(0, 'a')]);
    expect(outcome(router.assign(loads(2, 0), [turn(1, 'a')]))).toEqual(['1>1 overflow']);
  });
});

interface Arrival {
  readonly conversation: number;
  readonly iters: number;
  readonly attentionDpRank: number | null;
  readonly attentionDpRelax: boolean;
}

const CAP = 2;
const LONGEST = 4;
const arrival: fc.Arbitrary<Arrival> = fc.record({
  conversation: fc.nat(4),
  iters: fc.integer({ min: 1, max: LONGEST }),
  attentionDpRank: fc.option(fc.nat(2), { freq: 3 }),
  attentionDpRelax: fc.boolean(),
});
const traffic = fc.array(fc.array(arrival, { maxLength: 4 }), { minLength: 1, maxLength: 30 });

interface Call {
  readonly before: readonly RankLoad[];
  readonly offered: readonly AdpRequest<number>[];
  readonly assignment: Assignment<number>;
}

/** Runs a worker's queue over an instance of three ranks until all has been served, as the port asks callers to. */
function serve(router: AdpRouter, arrivals: readonly (readonly Arrival[])[]): Call[] {
  const calls: Call[] = [];
  const running: { rank: number; until: number }[] = [];
  const itersOf: number[] = [];
  let waiting: AdpRequest<number>[] = [];
  for (let now = 0; now < arrivals.length || waiting.length > 0; now += 1) {
    if (now > 10_000) throw new Error('a request is never served');
    for (const { conversation, iters, ...rest } of arrivals[now] ?? []) {
      const conversationId = conversation === 0 ? null : `conv-${String(conversation)}`;
      waiting.push(turn(itersOf.push(iters) - 1, conversationId, rest));
    }
    const counts = [0, 1, 2].map((rank) => running.filter((one) => one.rank === rank && one.until > now).length);
    const call = { before: loads(...counts), offered: waiting, assignment: router.assign(loads(...counts), waiting) };
    calls.push(call);
    for (const { id, rank } of call.assignment.decisions) running.push({ rank, until: now + (itersOf[id] ?? 0) });
    const deferred = new Set(call.assignment.deferred);
    waiting = waiting
      .filter(({ id }) => deferred.has(id))
      .map((request) => ({ ...request, waitedIters: (request.waitedIters ?? 0) + 1 }));
  }
  return calls;
}

const after = ({ before, assignment }: Call): number[] =>
  before.map(({ numActiveRequests }, rank) => numActiveRequests + (assignment.byRank[rank]?.length ?? 0));

function learnHomes(homes: Map<string, number>, { offered, assignment }: Call): void {
  const keyOf = new Map(offered.map(({ id, conversationId }) => [id, conversationId ?? null]));
  for (const { id, rank, kind } of assignment.decisions) {
    const key = keyOf.get(id) ?? null;
    if (key !== null && kind !== 'overflow') homes.set(key, rank);
  }
}

describe.each([0, 1, 5])('a queue under strict affinity with a longest wait of %p', (maxWaitIters) => {
  const check = (expectOf: (calls: Call[]) => void): void => {
    fc.assert(fc.property(traffic, (arrivals) => expectOf(serve(create(maxWaitIters, CAP), arrivals))));
  };

  test('has each request assigned or deferred exactly once, no rank above its hard cap', () => {
    check((calls) => {
      for (const call of calls) {
        const { byRank, decisions, deferred, expectedNumActiveRequests } = call.assignment;
        const ids = call.offered.map(({ id }) => id);
        expect([...byRank.flat(), ...deferred].sort((a, b) => a - b)).toEqual(ids);
        expect(decisions).toHaveLength(ids.length - deferred.length);
        expect(Math.max(...after(call))).toBeLessThanOrEqual(Math.min(CAP, expectedNumActiveRequests));
      }
    });
  });

  test('has nobody wait who could be served', () => {
    check((calls) => {
      const homes = new Map<string, number>();
      for (const call of calls) {
        learnHomes(homes, call);
        const deferred = new Set(call.assignment.deferred);
        const waiting = call.offered.filter(({ id }) => deferred.has(id));
        const couldBeServed = waiting.filter((request) => {
          const home = homes.get(request.conversationId ?? '');
          const mayWait = maxWaitIters === 0 || (request.waitedIters ?? 0) < maxWaitIters;
          const free = mayWait && home !== undefined ? [home] : [0, 1, 2];
          return free.some((rank) => Number(after(call)[rank]) < CAP);
        });
        expect(couldBeServed).toEqual([]);
      }
    });
  });

  test('serves everybody, after no more requests than waited before', () => {
    check((calls) => {
      const ahead = new Map<number, number>();
      for (const { offered, assignment } of calls) {
        for (const id of assignment.deferred) if (!ahead.has(id)) ahead.set(id, assignment.deferred.length);
        for (const { id, waitedIters = 0 } of offered) {
          // At least one slot of every full rank is free again after the longest request.
          expect(waitedIters).toBeLessThanOrEqual((ahead.get(id) ?? 0) * LONGEST);
        }
      }
    });
  });

  test('is the same in two instances', () => {
    check((calls) => {
      const other = create(maxWaitIters, CAP);
      for (const { before, offered, assignment } of calls) {
        expect(other.assign(before.toReversed(), offered)).toEqual(assignment);
      }
    });
  });
});

test('while no home is full, strict affinity changes nothing', () => {
  fc.assert(
    fc.property(traffic, (arrivals) => {
      const strict = create(0, 1000);
      const usual = createAdpRouter({ kv_cache_routing_conversation_affinity: true }, 1000);
      for (const { before, offered, assignment } of serve(strict, arrivals)) {
        expect(usual.assign(before, offered)).toEqual(assignment);
      }
    }),
  );
});

/** The acceptance scenarios of reference 8.6, by their numbers; scenario 9 is in rank-load.spec.ts. */
import { describe, expect, test } from '@jest/globals';

import { createAdpRouter, type AttentionDpOptions } from './create-adp-router.js';
import { selectPlacement } from './placements/placements.js';
import type { AdpRequest, Assignment, RankLoad } from './ports/adp-router.js';
import { ConversationRouter } from './routers/conversation/conversation-router.js';
import { DefaultRouter } from './routers/default/default-router.js';

function loads(...active: number[]): RankLoad[] {
  return active.map((numActiveRequests, rank) => ({
    rank,
    numActiveRequests,
    numActiveTokens: numActiveRequests * 100,
  }));
}

function turn(id: number, conversationId: string | null, more: Partial<AdpRequest<number>> = {}): AdpRequest<number> {
  return { id, numInputTokens: 10, conversationId, ...more };
}

function idless(count: number): AdpRequest<number>[] {
  return Array.from({ length: count }, (_, id) => turn(id, null));
}

function conversationRouter(
  options: { cap?: number; maxSessions?: number; placement?: string } = {},
): ConversationRouter {
  return new ConversationRouter({
    maxNumActiveRequests: options.cap ?? 64,
    maxSessions: options.maxSessions ?? 65_536,
    fairShareMultiplier: 2,
    placement: selectPlacement(options.placement ?? 'round_robin'),
  });
}

function counts({ byRank }: Assignment<number>): number[] {
  return byRank.map((ids) => ids.length);
}

function rankOf(assignment: Assignment<number>, id: number): number {
  return assignment.byRank.findIndex((ids) => ids.includes(id));
}

const FOUR = ['a', 'b', 'c', 'd'];

describe('ADP routing scenarios', () => {
  test('1. first turns of 4 conversations on 4 ranks go one to each', () => {
    const first = conversationRouter().assign(
      loads(0, 0, 0, 0),
      FOUR.map((name, id) => turn(id, name)),
    );
    expect(counts(first)).toEqual([1, 1, 1, 1]);
    expect(first.decisions.map(({ kind }) => kind)).toEqual(FOUR.map(() => 'new'));
  });

  test('2. second turns return home', () => {
    const router = conversationRouter();
    const ranks = loads(0, 0, 0, 0);
    const first = router.assign(
      ranks,
      FOUR.map((name, id) => turn(id, name)),
    );
    const second = router.assign(ranks, FOUR.map((name, id) => turn(id, name)).reverse());
    expect(FOUR.map((_, id) => rankOf(second, id))).toEqual(FOUR.map((_, id) => rankOf(first, id)));
    expect(new Set(second.decisions.map(({ kind }) => kind))).toEqual(new Set(['sticky']));
  });

  test('3. id-less requests spread within 1, and nothing is recorded', () => {
    const router = conversationRouter();
    const spread = counts(router.assign(loads(0, 0, 0, 0), idless(10)));
    expect(Math.max(...spread) - Math.min(...spread)).toBeLessThanOrEqual(1);
    expect([...router.bindings()]).toEqual([]);
  });

  test('5. max_sessions 2 with 5 ids leaves only the last two', () => {
    const router = conversationRouter({ maxSessions: 2 });
    const ids = ['a', 'b', 'c', 'd', 'e'];
    router.assign(
      loads(0, 0),
      ids.map((name, id) => turn(id, name)),
    );
    expect([...router.bindings()].map(([key]) => key)).toEqual(['d', 'e']);
  });

  test('6. an explicit rank on a first turn binds it', () => {
    const router = conversationRouter();
    const ranks = loads(0, 0, 0, 0);
    const first = router.assign(ranks, [turn(0, 'a', { attentionDpRank: 2 })]);
    expect(first.decisions).toEqual([{ id: 0, rank: 2, kind: 'explicit' }]);
    const second = router.assign(ranks, [turn(1, 'a')]);
    expect(second.decisions).toEqual([{ id: 1, rank: 2, kind: 'sticky' }]);
  });

  test('7. a later conflicting explicit rank is ignored', () => {
    const router = conversationRouter();
    const ranks = loads(0, 0, 0, 0);
    router.assign(ranks, [turn(0, 'a', { attentionDpRank: 2 })]);
    const later = router.assign(ranks, [turn(1, 'a', { attentionDpRank: 3, attentionDpRelax: false })]);
    expect(later.decisions).toEqual([{ id: 1, rank: 2, kind: 'sticky' }]);
  });

  test('8. a home at its hard cap overflows elsewhere, the binding unchanged', () => {
    const router = conversationRouter({ cap: 4 });
    router.assign(loads(0, 0), [turn(0, 'a', { attentionDpRank: 1 })]);
    const full = router.assign(loads(0, 4), [turn(1, 'a')]);
    expect(full.decisions).toEqual([{ id: 1, rank: 0, kind: 'overflow' }]);
    expect([...router.bindings()]).toEqual([['a', 1]]);
    const next = router.assign(loads(1, 3), [turn(2, 'a')]);
    expect(next.decisions).toEqual([{ id: 2, rank: 1, kind: 'sticky' }]);
  });

  test('11. least_queued: of [5,1,3,4], rank 1', () => {
    const router = conversationRouter({ placement: 'least_queued' });
    const assignment = router.assign(loads(5, 1, 3, 4), [turn(0, 'a')]);
    expect(rankOf(assignment, 0)).toBe(1);
  });

  test('11. least_queued: 4 new on [3,0,2,3] are placed [0,3,1,0]', () => {
    const router = conversationRouter({ placement: 'least_queued' });
    const assignment = router.assign(
      loads(3, 0, 2, 3),
      FOUR.map((name, id) => turn(id, name)),
    );
    expect(counts(assignment)).toEqual([0, 3, 1, 0]);
  });

  test('11. least_queued: a conversation returns even to the busiest rank', () => {
    const router = conversationRouter({ placement: 'least_queued' });
    router.assign(loads(0, 5, 5, 5), [turn(0, 'a')]);
    const later = router.assign(loads(20, 0, 0, 0), [turn(1, 'a')]);
    expect(later.decisions).toEqual([{ id: 1, rank: 0, kind: 'sticky' }]);
  });

  test('12. 40 requests of one conversation on 8 ranks are all kept, and expected covers every rank', () => {
    const assignment = conversationRouter().assign(
      loads(0, 0, 0, 0, 0, 0, 0, 0),
      Array.from({ length: 40 }, (_, id) => turn(id, 'a')),
    );
    expect(counts(assignment)).toEqual([40, 0, 0, 0, 0, 0, 0, 0]);
    expect(assignment.expectedNumActiveRequests).toBeGreaterThanOrEqual(40);
  });

  test('13. 8 id-less on [40,40,40,64] with cap 64 take no rank above 64', () => {
    const assignment = conversationRouter().assign(loads(40, 40, 40, 64), idless(8));
    expect(counts(assignment).at(3)).toBe(0);
    expect(counts(assignment).reduce((a, b) => a + b)).toBe(8);
  });
});

describe('10. the factory', () => {
  const on: AttentionDpOptions = {
    kv_cache_routing_conversation_affinity: true,
  };

  test.each([{}, { kv_cache_routing_conversation_affinity: false }])(
    'without conversation affinity makes the default router: %p',
    (options) => {
      expect(createAdpRouter(options, 8)).toBeInstanceOf(DefaultRouter);
    },
  );

  test('with it makes the conversation router', () => {
    expect(createAdpRouter(on, 8)).toBeInstanceOf(ConversationRouter);
  });

  test('passes max_sessions on, and takes less than 1 for 1', () => {
    const keysLeft = (maxSessions: number): string[] => {
      const router = createAdpRouter({ ...on, kv_cache_routing_max_sessions: maxSessions }, 8) as ConversationRouter;
      router.assign(
        loads(0),
        FOUR.map((name, id) => turn(id, name)),
      );
      return [...router.bindings()].map(([key]) => key);
    };
    expect(keysLeft(3)).toEqual(['b', 'c', 'd']);
    expect(keysLeft(0)).toEqual(['d']);
    expect(keysLeft(-5)).toEqual(['d']);
  });

  test('takes a placement that there is not for round_robin', () => {
    const router = createAdpRouter({ ...on, kv_cache_routing_new_conv_placement: 'least_bogus' }, 8);
    const assignment = router.assign(loads(1, 0, 0), [turn(0, 'a')]);
    expect(rankOf(assignment, 0)).toBe(0);
  });

  test('passes the placement and the multiplier on', () => {
    const router = createAdpRouter(
      {
        ...on,
        kv_cache_routing_new_conv_placement: 'least_queued',
        kv_cache_routing_fair_share_multiplier: 1,
      },
      8,
    );
    const assignment = router.assign(loads(1, 0, 0), [turn(0, 'a')]);
    expect(assignment.byRank).toEqual([[], [0], []]);
    expect(assignment.expectedNumActiveRequests).toBe(1);
  });

  test.each([0, -1, 1.5, Number.NaN])('refuses a hard cap of %p', (cap) => {
    expect(() => createAdpRouter({}, cap)).toThrow(RangeError);
    expect(() => createAdpRouter(on, cap)).toThrow(RangeError);
  });
});

describe('sub-agents', () => {
  test("share their parent's rank, whoever comes first", () => {
    const ranks = loads(0, 0, 0, 0);
    const child = { subagentAffinityId: 'parent' };
    for (const order of [
      [turn(0, 'parent'), turn(1, 'child', child), turn(2, 'other', child)],
      [turn(1, 'child', child), turn(0, 'parent'), turn(2, 'other', child)],
    ]) {
      const { decisions } = conversationRouter().assign(ranks, order);
      expect(new Set(decisions.map(({ rank }) => rank)).size).toBe(1);
      expect(decisions.at(-1)?.kind).toBe('parent');
    }
  });

  test('leave no binding of their own', () => {
    const router = conversationRouter();
    router.assign(loads(0, 0), [turn(0, 'child', { subagentAffinityId: 'parent' })]);
    expect([...router.bindings()]).toEqual([['parent', 0]]);
  });

  test('with an empty affinity id are conversations like any other', () => {
    const router = conversationRouter();
    router.assign(loads(0, 0), [turn(0, 'own', { subagentAffinityId: '' })]);
    expect([...router.bindings()]).toEqual([['own', 0]]);
  });
});

/** Single promises of `assign` that need no property. */
import { describe, expect, test } from '@jest/globals';

import { createAdpRouter } from './create-adp-router.js';
import { roundRobin } from './placements/round-robin/round-robin.js';
import type { RankLoad } from './ports/adp-router.js';
import { ConversationRouter } from './routers/conversation/conversation-router.js';

function idle(rank: number): RankLoad {
  return { rank, numActiveRequests: 0, numActiveTokens: 0 };
}

describe.each([true, false])('conversation affinity %p', (affinity) => {
  const options = { kv_cache_routing_conversation_affinity: affinity };

  test.each([[[]], [[1]], [[0, 0]], [[0, 2]], [[-1, 0]], [[0.5]]])(
    'ranks numbered %p are refused',
    (numbers: number[]) => {
      const router = createAdpRouter(options, 4);
      expect(() => router.assign(numbers.map(idle), [])).toThrow(RangeError);
    },
  );

  test.each([-1, 2, 0.5, Number.NaN, null])(
    'an explicit rank of %p, which there is not, counts as absent',
    (attentionDpRank) => {
      const router = createAdpRouter(options, 4);
      const request = { id: 'r', numInputTokens: 1, attentionDpRank };
      const { decisions } = router.assign([idle(0), idle(1)], [request]);
      expect(decisions).toEqual([{ id: 'r', rank: 0, kind: 'new' }]);
    },
  );

  test('requests that do not relax their rank come first', () => {
    const router = createAdpRouter(options, 1);
    const { byRank } = router.assign(
      [idle(0), idle(1)],
      [
        { id: 'relaxed', numInputTokens: 1, attentionDpRank: 1 },
        {
          id: 'strict',
          numInputTokens: 1,
          attentionDpRank: 1,
          attentionDpRelax: false,
        },
      ],
    );
    expect(byRank).toEqual([['relaxed'], ['strict']]);
  });

  test('a batch without requests is an assignment too', () => {
    const router = createAdpRouter(options, 4);
    expect(router.assign([idle(0), idle(1)], [])).toEqual({
      byRank: [[], []],
      expectedNumActiveRequests: 0,
      decisions: [],
      deferred: [],
    });
  });
});

describe('conversation router', () => {
  const options = {
    maxNumActiveRequests: 4,
    maxSessions: 8,
    fairShareMultiplier: 1,
    placement: roundRobin,
  };

  test('places a key anew whose rank is gone, and binds it there', () => {
    const router = new ConversationRouter(options);
    const turn = { id: 0, numInputTokens: 1, conversationId: 'a' };
    router.assign([idle(0), idle(1)], [{ ...turn, attentionDpRank: 1 }]);
    const { decisions } = router.assign([idle(0)], [turn]);
    expect(decisions).toEqual([{ id: 0, rank: 0, kind: 'new' }]);
    expect([...router.bindings()]).toEqual([['a', 0]]);
  });

  test.each([
    { fairShareMultiplier: Number.NaN },
    { maxSessions: 1.5 },
    { maxSessions: 2 ** 30 },
    { maxNumActiveRequests: 0 },
  ])('refuses %p', (nonsense) => {
    expect(() => new ConversationRouter({ ...options, ...nonsense })).toThrow(RangeError);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { Placement } from '@roost/fleet-router';

import { explainHeaders } from '../http/explain-headers.js';
import { LegAttempt } from '../request/leg-attempt.js';
import { ServedRequest } from '../request/served-request.js';

import { explainRequest, type Explanation } from './explain-request.js';
import { RecentRequests } from './recent-requests.js';

// Owns: what is said of a request and that it is bounded, whatever the fleet, the client and the traffic.

const client = { endpoint: 'chat', model: 'm', stream: true, bytes: Buffer.from('SECRET PROMPT') };
const identity = { conversationId: 'c', subagentAffinityId: 'p', routingKey: 'p', synthesised: false };
const placement: Placement = { server: 'b:1', decision: 'parent', reason: 'home', routingKey: 'p' };

function served(change: object = {}): ServedRequest {
  const signal = new AbortController().signal;
  return new ServedRequest('id', { ...client, ...change } as never, identity, Date.now(), signal);
}

describe('explainRequest', () => {
  it('tells the chosen instance first, then the others by whether they could be chosen, and by load', () => {
    const request = served();
    const loads = new Map([
      ['a:1', 0],
      ['b:1', 9],
      ['c:1', 5],
      ['d:1', 1],
    ]);
    const attempt = new LegAttempt('context', 'b:1', placement, { loads, excluded: new Set(['a:1']) });
    attempt.end('ok');
    request.record.attempts.push(attempt);
    const { attempts } = explainRequest(request, 0);
    expect(
      attempts[0]?.candidates.map(({ instance, load, chosen, available }) => [instance, load, chosen, available]),
    ).toEqual([
      ['b:1', 9, true, true],
      ['d:1', 1, false, true],
      ['c:1', 5, false, true],
      ['a:1', 0, false, false],
    ]);
    expect(attempts[0]).toMatchObject({ outcome: 'ok', decision: 'parent', routing_key: 'p', more_candidates: 0 });
  });

  it('tells of so many candidates at most, and how many more there are', () => {
    const request = served();
    const loads = new Map(Array.from({ length: 500 }, (_, index): [string, number] => [`w:${String(index)}`, index]));
    request.record.attempts.push(
      new LegAttempt('context', 'w:499', { ...placement, server: 'w:499' }, { loads, excluded: new Set() }),
    );
    const [attempt] = explainRequest(request, 0).attempts;
    expect(attempt?.candidates).toHaveLength(32);
    expect(attempt?.more_candidates).toBe(468);
    expect(attempt?.candidates[0]?.instance).toBe('w:499');
    expect(attempt?.outcome).toBe('unused');
  });

  it('tells why on that rank, the chosen one first, then the others by what they had to do', () => {
    const request = served();
    const ranks = [
      { activeRequests: 2, activeTokens: 10 },
      { activeRequests: 0, activeTokens: 0 },
      { activeRequests: 7, activeTokens: 900 },
      { activeRequests: 2, activeTokens: 5 },
    ];
    const leg = {
      instance: 'b:1',
      decision: 'parent',
      reason: 'home',
      routingKey: 'p',
      attempts: 1,
      timing: null,
    } as const;
    request.record.context = { ...leg, rank: 2, rankChoice: { decision: 'parent', ranks } };
    request.record.generation = { ...leg, rank: 0, rankChoice: null };
    const { context, generation } = explainRequest(request, 0);
    expect(context).toMatchObject({ rank: 2, rank_decision: 'parent', rank_reason: "its parent session's home" });
    expect(context?.ranks.map(({ rank, active_requests, chosen }) => [rank, active_requests, chosen])).toEqual([
      [2, 7, true],
      [1, 0, false],
      [3, 2, false],
      [0, 2, false],
    ]);
    expect(generation).toMatchObject({ rank_decision: null, rank_reason: null, ranks: [], more_ranks: 0 });
    const many = Array.from({ length: 100 }, () => ({ activeRequests: 1, activeTokens: 1 }));
    request.record.context = { ...leg, rank: 99, rankChoice: { decision: 'x'.repeat(1000), ranks: many } };
    const bounded = explainRequest(request, 0).context;
    expect(bounded?.ranks).toHaveLength(32);
    expect(bounded?.ranks[0]).toMatchObject({ rank: 99, chosen: true });
    expect(bounded).toMatchObject({ more_ranks: 68, rank_decision: 'x'.repeat(64), rank_reason: null });
  });

  describe('tells the routing key that the headers tell', () => {
    const made = { ...placement, decision: 'implicit', routingKey: 'conv_id:1_1' } as const;
    const leg = { instance: 'b:1', decision: 'implicit', reason: '', attempts: 1, timing: null, rank: 0 } as const;
    const told = (request: ServedRequest): unknown[] => [
      explainRequest(request, 0).routing_key,
      explainHeaders(request)['x-roost-routing-key'] ?? null,
    ];

    it('of the context leg, or of the generation leg where there is no other', () => {
      const request = served();
      request.record.generation = { ...leg, routingKey: 'child', rankChoice: null };
      expect(told(request)).toEqual(['child', 'child']);
      request.record.context = { ...leg, routingKey: made.routingKey, rankChoice: null };
      expect(told(request)).toEqual([made.routingKey, made.routingKey]);
    });

    it('none, whatever the client named, where the router looked nothing up', () => {
      const request = served();
      request.record.context = { ...leg, routingKey: null, rankChoice: null };
      expect(told(request)).toEqual([null, null]);
    });

    it('of the first attempt where no leg went through, and none where none was placed', () => {
      const request = served();
      expect(told(request)).toEqual([null, null]);
      request.record.attempts.push(new LegAttempt('context', 'b:1', made, null));
      request.record.attempts.push(new LegAttempt('generation', 'b:1', placement, null));
      expect(told(request)).toEqual([made.routingKey, made.routingKey]);
    });
  });

  it('keeps nothing of what was said', () => {
    const text = JSON.stringify(explainRequest(served({ model: 'x'.repeat(10_000) }), 0));
    expect(text).not.toContain('SECRET');
    expect(text.length).toBeLessThan(1_500);
  });
});

describe('RecentRequests', () => {
  const explanation = (request_id: string): Explanation => ({ ...explainRequest(served(), 0), request_id });

  it('forgets the oldest, and gives the latest first', () => {
    const recent = new RecentRequests(3);
    for (const id of ['a', 'b', 'c', 'd']) recent.add(explanation(id));
    expect(recent.find('a')).toBeNull();
    expect(recent.latest(2).map(({ request_id }) => request_id)).toEqual(['d', 'c']);
    expect(recent.latest(9)).toHaveLength(3);
  });

  it('knows a request by the ids that clients see', () => {
    const recent = new RecentRequests(3);
    recent.add(explanation('4bf9'));
    for (const id of ['4bf9', 'chatcmpl-4bf9', 'cmpl-4bf9']) expect(recent.find(id)?.request_id).toBe('4bf9');
    expect(recent.find('x-4bf9')).toBeNull();
  });

  it('remembers nothing where it is to remember nothing', () => {
    const recent = new RecentRequests(0);
    recent.add(explanation('a'));
    expect(recent.latest(9)).toEqual([]);
  });
});

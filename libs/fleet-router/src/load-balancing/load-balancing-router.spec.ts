// Reference 2.2: least load, ties in turn, and the weights of `use_tokens`.
import { describe, expect, it } from '@jest/globals';

import { type RouteRequest } from '../ports/fleet-router.js';

import { LoadBalancingRouter, UnweighableRequestError } from './load-balancing-router.js';

const request = (changes: Partial<RouteRequest> = {}): RouteRequest => ({
  conversationId: null,
  subagentAffinityId: null,
  textChars: 10,
  text: () => '',
  promptTokenIds: null,
  completion: true,
  ...changes,
});

const byRequests = (): LoadBalancingRouter => new LoadBalancingRouter(['a', 'b', 'c'], { useTokens: false });
const byTokens = (): LoadBalancingRouter => new LoadBalancingRouter(['a', 'b'], { useTokens: true });

describe('LoadBalancingRouter', () => {
  it('chooses the fewest requests in flight', () => {
    const router = byRequests();
    const first = router.route(request());
    router.route(request());
    router.route(request());
    if (first === null) throw new Error('no placement');
    router.finish(first, true);
    expect(router.route(request())?.server).toBe(first.server);
  });

  it('gives ties their turn by a counter of all selections', () => {
    const router = byRequests();
    const chosen = [0, 1, 2, 3].map(() => router.route(request())?.server);
    // Tied: abc at 0, ac at 1, c alone at 2, then abc at 3.
    expect(chosen).toEqual(['a', 'c', 'b', 'a']);
  });

  it('weighs every request as one, also chat', () => {
    const router = byRequests();
    router.route(request({ textChars: 1000, completion: false }));
    expect([...router.loads().values()]).toEqual([1, 0, 0]);
  });

  it('with use_tokens weighs token prompts by ids and text prompts by characters', () => {
    const router = byTokens();
    router.route(request({ promptTokenIds: [1, 2, 3], textChars: 99 }));
    router.route(request({ textChars: 40 }));
    expect(Object.fromEntries(router.loads())).toEqual({ a: 3, b: 40 });
  });

  it('with use_tokens refuses chat and reserves nothing', () => {
    const router = byTokens();
    expect(() => router.route(request({ completion: false }))).toThrow(UnweighableRequestError);
    expect([...router.loads().values()]).toEqual([0, 0]);
  });
});

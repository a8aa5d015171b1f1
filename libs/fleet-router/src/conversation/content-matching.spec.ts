// Requests without a routing key (reference 2.4, B): what they match, weigh and hold. Scenarios are beside this file.
import { describe, expect, it } from '@jest/globals';

import { type Placement, type RouteRequest } from '../ports/fleet-router.js';

import { type ConversationOptions, ConversationRouter } from './conversation-router.js';

const make = (options: Partial<ConversationOptions> = {}, servers = ['a', 'b', 'c']): ConversationRouter =>
  new ConversationRouter(servers, {
    matchThreshold: 0.75,
    tokensPerBlock: 128,
    hashSkipCount: 0,
    maxSessions: 100_000,
    maxContentBytes: 2 ** 20,
    ...options,
  });

const text = (content: string): RouteRequest => ({
  conversationId: null,
  subagentAffinityId: null,
  textChars: content.length,
  text: () => content,
  promptTokenIds: null,
});
const tokens = (promptTokenIds: number[]): RouteRequest => ({ ...text(''), promptTokenIds });
const keyed = (conversationId: string): RouteRequest => ({ ...text(''), conversationId });

const place = (router: ConversationRouter, what: RouteRequest, exclude: string[] = []): Placement => {
  const placement = router.route(what, new Set(exclude));
  if (placement === null) throw new Error('no candidate');
  return placement;
};
const serve = (router: ConversationRouter, what: RouteRequest): Placement => {
  const placement = place(router, what);
  router.finish(placement, true);
  return placement;
};

describe('requests without a routing key', () => {
  const words = (seed: string): string => `${seed} `.repeat(200);

  it('get keys of their own, and share the limit with the others', () => {
    const router = make({ maxSessions: 2, nodeId: 7 });
    serve(router, text(words('cats')));
    serve(router, keyed('s'));
    serve(router, text(words('dogs')));
    expect([...router.bindings()].map(([key]) => key)).toEqual(['s', 'conv_id:7_2']);
    expect(serve(router, text(words('cats'))).decision).toBe('new');
  });

  it('weigh their blocks', () => {
    const router = make({ tokensPerBlock: 10 }, ['a']);
    place(router, text('x'.repeat(31)));
    expect(router.loads().get('a')).toBe(30);
  });

  it('match at the threshold and not below', () => {
    const ids = (shared: number, own: number, tail: number): number[] => [
      ...Array<number>(shared).fill(1),
      ...Array<number>(own).fill(tail),
      0,
    ];
    const decide = (shared: number): string => {
      const router = make({ tokensPerBlock: 1 });
      serve(router, tokens(ids(100, 0, 0)));
      return serve(router, tokens(ids(shared, 100 - shared, 2))).decision;
    };
    expect(decide(75)).toBe('implicit');
    expect(decide(74)).toBe('new');
  });

  it('do not continue a session on an excluded or removed server', () => {
    const router = make();
    const first = serve(router, text(words('cats')));
    const elsewhere = place(router, text(words('cats')), [first.server]);
    expect(elsewhere).toMatchObject({ decision: 'new' });
    expect(elsewhere.server).not.toBe(first.server);
    router.removeServer(elsewhere.server);
    router.removeServer(first.server);
    expect(place(router, text(words('cats'))).decision).toBe('new');
  });

  it("do not continue a session of a server's earlier life", () => {
    const router = make({}, ['a']);
    serve(router, text(words('cats')));
    router.removeServer('a');
    router.addServer('a');
    expect(serve(router, text(words('cats'))).decision).toBe('new');
  });

  it('are tokenised only when they come as text and a tokenizer is given', () => {
    const seen: string[] = [];
    const router = make({
      tokensPerBlock: 2,
      tokenize: (what) => {
        seen.push(what.text());
        return [1, 2, 3, 4, 5];
      },
    });
    const first = serve(router, tokens([1, 2, 3, 4, 5]));
    expect(seen).toEqual([]);
    expect(serve(router, text('any words'))).toMatchObject({
      server: first.server,
      decision: 'implicit',
    });
    expect(seen).toEqual(['any words']);
  });

  it('count as new once their session has idled out', () => {
    let clock = 0;
    const router = make({ idle: { ttlMs: 1000, now: () => clock } });
    serve(router, text(words('cats')));
    serve(router, text(words('cats')));
    clock = 999;
    expect(serve(router, text(words('cats'))).decision).toBe('implicit');
    clock = 1999;
    expect(serve(router, text(words('cats'))).decision).toBe('new');
  });

  it('count as new when many sessions that they continue have idled out', () => {
    let clock = 0;
    const router = make({ matchThreshold: 1, idle: { ttlMs: 1000, now: () => clock } }, ['a']);
    for (let i = 0; i < 20; i++) serve(router, tokens([1, 2, 3, i]));
    const preamble = Array<number>(128).fill(7);
    for (let i = 0; i < 20; i++) serve(router, tokens([...preamble, i, 0]));
    clock = 1000;
    expect(serve(router, tokens([...preamble, 0])).decision).toBe('new');
  });

  it('keep no more content than the limit, that of the latest sessions', () => {
    const router = make({ tokensPerBlock: 1, matchThreshold: 1, maxContentBytes: 65_536 });
    const prompt = (seed: number): number[] => [...Array<number>(300).fill(seed), 0];
    for (let seed = 1; seed <= 50; seed++) serve(router, tokens(prompt(seed)));
    expect(serve(router, tokens(prompt(49))).decision).toBe('implicit');
    expect(serve(router, tokens(prompt(40))).decision).toBe('new');
    expect(serve(router, tokens(prompt(49))).decision).toBe('implicit');
  });

  it('continue a session from any of its prompts that is still known', () => {
    const router = make({ tokensPerBlock: 1 }, ['a']);
    const prompt = (...own: number[]): RouteRequest => tokens([1, 2, 3, 4, 5, 6, 7, 8, ...own, 0]);
    const { routingKey } = serve(router, prompt(10));
    for (const next of [prompt(11), prompt(10, 12)])
      expect(serve(router, next)).toMatchObject({ decision: 'implicit', routingKey });
  });

  it('lose a session to a request that brings its key and cannot go home', () => {
    const router = make();
    const first = serve(router, text(words('cats')));
    expect(place(router, keyed('conv_id:0_1'))).toMatchObject({ server: first.server, decision: 'sticky' });
    place(router, keyed('conv_id:0_1'), [first.server]);
    expect(place(router, text(words('cats'))).decision).toBe('new');
  });

  it('are not hidden by many sessions of the same content on a removed server', () => {
    const router = make({ tokensPerBlock: 1, matchThreshold: 1 }, ['a']);
    for (let seed = 1; seed <= 20; seed++) serve(router, tokens([7, 7, 7, seed, 0]));
    router.removeServer('a');
    router.addServer('a');
    serve(router, tokens([7, 7, 7, 99, 0]));
    expect(serve(router, tokens([7, 7, 7, 0])).decision).toBe('implicit');
  });

  it('leave out five code points, or one id, for each token skipped', () => {
    const router = make({ tokensPerBlock: 10, hashSkipCount: 4 }, ['a']);
    place(router, text('x'.repeat(20) + '\u{1F600}'.repeat(31)));
    expect(router.loads().get('a')).toBe(30);
    place(router, tokens(Array<number>(35).fill(1)));
    expect(router.loads().get('a')).toBe(60);
  });
});

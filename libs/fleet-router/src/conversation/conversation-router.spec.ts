// Acceptance scenarios 8.3 (1-9) and those of 8.7 that concern one router, and what the reference 2.4 says of each path.
import { describe, expect, it } from '@jest/globals';

import { type Placement, type RouteRequest } from '../ports/fleet-router.js';
import { createRouterRegistry } from '../registry/built-in-routers.js';

import { type ConversationOptions, ConversationRouter } from './conversation-router.js';

const SERVERS = ['a', 'b', 'c'];

const make = (options: Partial<ConversationOptions> = {}, servers = SERVERS): ConversationRouter =>
  new ConversationRouter(servers, {
    matchThreshold: 0.75,
    tokensPerBlock: 128,
    hashSkipCount: 0,
    maxSessions: 100_000,
    ...options,
  });

const request = (changes: Partial<RouteRequest>): RouteRequest => ({
  conversationId: null,
  subagentAffinityId: null,
  textChars: changes.text?.().length ?? 0,
  text: () => '',
  promptTokenIds: null,
  ...changes,
});
const keyed = (conversationId: string, textChars = 0): RouteRequest => request({ conversationId, textChars });
const child = (conversationId: string, parent: string): RouteRequest =>
  request({ conversationId, subagentAffinityId: parent });
const text = (content: string): RouteRequest => request({ text: () => content });
const tokens = (promptTokenIds: number[]): RouteRequest => request({ promptTokenIds });

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

describe('acceptance scenarios 8.3', () => {
  it('1: the same id four times stays on one server', () => {
    const router = make();
    const turns = [1, 2, 3, 4].map(() => place(router, keyed('s')));
    expect(new Set(turns.map(({ server }) => server)).size).toBe(1);
    expect(turns.map(({ decision }) => decision)).toEqual(['new', 'sticky', 'sticky', 'sticky']);
  });

  it('2: an excluded home sends the conversation elsewhere, for good', () => {
    const router = make();
    const home = serve(router, keyed('s')).server;
    const moved = place(router, keyed('s'), [home]);
    expect(moved.server).not.toBe(home);
    expect(moved).toMatchObject({ decision: 'rebound', routingKey: 's' });
    expect(moved.reason).toContain('excluded');
    expect(serve(router, keyed('s'))).toMatchObject({
      server: moved.server,
      decision: 'sticky',
    });
  });

  it('3: a removed home sends the conversation to a live server', () => {
    const router = make();
    const home = serve(router, keyed('s')).server;
    router.removeServer(home);
    const moved = serve(router, keyed('s'));
    expect(router.servers()).toContain(moved.server);
    expect(moved.decision).toBe('rebound');
    expect(moved.reason).toContain('gone');
  });

  it('4: three distinct prompts without an id, in flight at once, use three servers', () => {
    const router = make();
    const used = ['cats ', 'dogs ', 'owls '].map((word) => place(router, text(word.repeat(50))).server);
    expect(used.sort()).toEqual(SERVERS);
  });

  it('5: a session survives interleaved traffic without ids', () => {
    const router = make();
    const home = serve(router, keyed('s')).server;
    for (const word of ['cats ', 'dogs ', 'owls ', 'newts ']) place(router, text(word.repeat(80)));
    expect(serve(router, keyed('s')).server).toBe(home);
  });

  it('6: a text that grows by 50 and 100 characters stays', () => {
    const router = make();
    const base = 'x'.repeat(2000);
    const first = serve(router, text(base));
    expect(first.decision).toBe('new');
    for (const growth of ['y'.repeat(50), 'y'.repeat(50) + 'z'.repeat(50)])
      expect(serve(router, text(base + growth))).toMatchObject({
        server: first.server,
        decision: 'implicit',
        routingKey: first.routingKey,
      });
  });

  it('7: token ids that grow stay, in chat as in completions', () => {
    const router = make();
    const base = Array<number>(2000).fill(1000);
    const more = [...base, ...Array<number>(50).fill(2000)];
    const home = serve(router, tokens([...base, 0])).server;
    expect(serve(router, tokens([...more, 0])).server).toBe(home);
    const chat = request({
      promptTokenIds: [...more, ...Array<number>(50).fill(3000), 0],
      text: () => 'user:other',
    });
    expect(serve(router, chat).server).toBe(home);
  });

  it('8: a shared preamble matches falsely unless hash_skip_count leaves it out', () => {
    const preamble = 'S'.repeat(2000);
    const [one, two] = [preamble + 'A'.repeat(500), preamble + 'B'.repeat(500)];
    const naive = make();
    const home = serve(naive, text(one)).server;
    expect(serve(naive, text(two)).server).toBe(home);
    const skipping = make({ hashSkipCount: 400 });
    const inFlight = place(skipping, text(one));
    expect(place(skipping, text(two)).server).not.toBe(inFlight.server);
  });

  it('9: the registry makes it for the type conversation', () => {
    const { router } = createRouterRegistry().create('conversation');
    expect(router).toBeInstanceOf(ConversationRouter);
  });
});

describe('acceptance scenarios 8.7', () => {
  it('a child that comes before its parent creates the pin that the parent joins', () => {
    const router = make();
    const first = serve(router, child('child', 'parent'));
    expect(first).toMatchObject({ decision: 'new', routingKey: 'parent' });
    expect(serve(router, keyed('parent'))).toMatchObject({
      server: first.server,
      decision: 'sticky',
    });
    expect(serve(router, child('sibling', 'parent'))).toMatchObject({
      server: first.server,
      decision: 'parent',
    });
    expect([...router.bindings()]).toEqual([['parent', first.server]]);
  });

  it('a parent that is evicted while children live is pinned anew by whoever comes next', () => {
    const router = make({ maxSessions: 1 });
    serve(router, keyed('parent'));
    serve(router, keyed('other'));
    const next = serve(router, child('child', 'parent'));
    expect(next.decision).toBe('new');
    expect(serve(router, keyed('parent')).server).toBe(next.server);
  });

  it('two edges without shared state each keep their own pins', () => {
    const [one, two] = [make(), make()];
    serve(two, keyed('filler'));
    const home = serve(one, keyed('s')).server;
    const other = serve(two, keyed('s')).server;
    expect(serve(one, keyed('s')).server).toBe(home);
    expect(serve(two, keyed('s')).server).toBe(other);
    expect(other).not.toBe(home);
  });
});

describe('requests with a routing key', () => {
  it('match by the whole id only', () => {
    const router = make();
    place(router, keyed('session-1'));
    expect(place(router, keyed('session-12')).decision).toBe('new');
    expect(place(router, keyed('SESSION-1')).decision).toBe('new');
  });

  it('take an empty id for none', () => {
    const router = make();
    expect(place(router, request({ conversationId: 'own', subagentAffinityId: '' }))).toMatchObject({
      routingKey: 'own',
    });
    expect(place(router, keyed('')).routingKey).toBe('conv_id:0_1');
  });

  it('weigh a fifth of their characters, at least one, sticky or not', () => {
    const router = make({}, ['a']);
    place(router, keyed('s', 4));
    place(router, keyed('s', 1004));
    expect(router.loads().get('a')).toBe(201);
  });

  it('never ask for the text', () => {
    const unread: RouteRequest = {
      ...keyed('s'),
      text: () => {
        throw new Error('read');
      },
    };
    expect(place(make(), unread).decision).toBe('new');
  });

  it('do not count an excluded home without alternative as a use', () => {
    const router = make({ maxSessions: 2 }, ['a']);
    place(router, keyed('one'));
    place(router, keyed('two'));
    expect(router.route(keyed('one'), new Set(['a']))).toBeNull();
    expect([...router.bindings()].map(([key]) => key)).toEqual(['one', 'two']);
  });

  it('are invisible to matching by content', () => {
    const router = make();
    const content = 'x'.repeat(2000);
    place(router, { ...keyed('s'), text: () => content });
    expect(place(router, text(content)).decision).toBe('new');
  });

  it('with a very long id are told apart, and bound under a short key', () => {
    const router = make();
    const long = 'i'.repeat(100_000);
    const first = serve(router, keyed(`${long}1`));
    expect(first.routingKey?.length).toBeLessThan(256);
    expect(serve(router, keyed(`${long}2`)).decision).toBe('new');
    expect(serve(router, keyed(`${long}1`))).toMatchObject({
      server: first.server,
      decision: 'sticky',
    });
  });
});

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

  it('keep no more blocks than the limit, those of the latest sessions', () => {
    const router = make({ tokensPerBlock: 1, maxIndexedBlocks: 100 });
    const prompt = (seed: number): number[] => [...Array<number>(30).fill(seed), 0];
    for (let seed = 1; seed <= 50; seed++) serve(router, tokens(prompt(seed)));
    expect([...router.bindings()]).toHaveLength(3);
    expect(serve(router, tokens(prompt(48))).decision).toBe('implicit');
    expect(serve(router, tokens(prompt(47))).decision).toBe('new');
    expect(serve(router, tokens(prompt(48))).decision).toBe('implicit');
  });

  it('lose a session to a request that brings its key and cannot go home', () => {
    const router = make();
    const first = serve(router, text(words('cats')));
    expect(place(router, keyed('conv_id:0_1'))).toMatchObject({ server: first.server, decision: 'sticky' });
    place(router, keyed('conv_id:0_1'), [first.server]);
    expect(place(router, text(words('cats'))).decision).toBe('new');
  });
});

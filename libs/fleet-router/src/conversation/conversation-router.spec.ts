// Acceptance scenarios 8.3 (1-9), those of 8.7 that concern one router, and requests with a routing key (reference 2.4, A).
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
    maxContentBytes: 2 ** 20,
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

// Acceptance scenarios 8.3 "KV-aware", what reference 2.3 says of each step, and faults that others report.
import { describe, expect, it } from '@jest/globals';
import { PrefixIndex } from '@roost/prefix-index';

import { type Placement, type RouteRequest } from '../ports/fleet-router.js';
import { createRouterRegistry } from '../registry/built-in-routers.js';

import { type KvCacheAwareOptions, KvCacheAwareRouter } from './kv-cache-aware-router.js';

const SERVERS = ['a', 'b', 'c'];
const TOKENS_PER_BLOCK = 32;

interface Setup {
  readonly router: KvCacheAwareRouter;
  readonly index: PrefixIndex;
}

const make = (options: Partial<KvCacheAwareOptions> = {}, servers = SERVERS): Setup => {
  const index = new PrefixIndex({ maxBytes: 2 ** 20 });
  const all = {
    maxBatchSize: 64,
    tokensPerBlock: TOKENS_PER_BLOCK,
    loadWeight: 0.25,
    loadCap: Infinity,
    trackRoutedBlocks: true,
    predictInFlight: false,
    ...options,
  };
  return { router: new KvCacheAwareRouter(servers, all, index), index };
};

/** Blocks 0, 1, 2, ... of one of several chains. */
const chain = (name: number, length: number): bigint[] =>
  Array.from({ length }, (_, depth) => BigInt(name) * 1_000_000n + BigInt(depth));
const withBlocks = (hashes: readonly bigint[] | null, pinText: string | null = null): RouteRequest => ({
  conversationId: null,
  subagentAffinityId: null,
  textChars: 0,
  text: () => '',
  promptTokenIds: null,
  blockHashes: hashes,
  numTokens: (hashes?.length ?? 0) * TOKENS_PER_BLOCK + 5,
  pinText,
});
const place = (router: KvCacheAwareRouter, request: RouteRequest, exclude: string[] = []): Placement => {
  const placement = router.route(request, new Set(exclude));
  if (placement === null) throw new Error('no candidate');
  return placement;
};
const serve = (router: KvCacheAwareRouter, request: RouteRequest, success = true): Placement => {
  const placement = place(router, request);
  router.finish(placement, success);
  return placement;
};
/** Puts active requests on a server. */
const saturate = (router: KvCacheAwareRouter, server: string, requests: number): void => {
  const others = router.servers().filter((name) => name !== server);
  for (let count = 0; count < requests; count++) place(router, withBlocks(null), others);
};
const serversOf = (placements: readonly Placement[]): string[] => placements.map(({ server }) => server);
const counts = (router: KvCacheAwareRouter): number[] => [...router.loads().values()];

describe('acceptance scenarios 8.3, KV-aware', () => {
  it('a content pin survives the saturation of its home with 64 extra load, which a new conversation avoids', () => {
    const { router } = make();
    const home = serve(router, withBlocks(chain(1, 8), 'system, task')).server;
    saturate(router, home, 64);
    expect(place(router, withBlocks(chain(1, 10), 'system, task'))).toMatchObject({
      server: home,
      decision: 'sticky',
      matchedTokens: 8 * TOKENS_PER_BLOCK,
    });
    expect(place(router, withBlocks(chain(1, 8), 'system, another task')).server).not.toBe(home);
  });

  it('a conversation of many turns stays home and matches exactly what its turns before computed', () => {
    const { router } = make();
    const turns = [4, 9, 9, 30].map((blocks) => serve(router, withBlocks(chain(1, blocks))));
    expect(new Set(serversOf(turns)).size).toBe(1);
    expect(turns.map(({ matchedTokens }) => (matchedTokens ?? NaN) / TOKENS_PER_BLOCK)).toEqual([0, 4, 9, 9]);
    expect(turns.map(({ numTokens }) => numTokens)).toEqual([133, 293, 293, 965]);
    expect(turns.map(({ decision }) => decision)).toEqual(['new', 'implicit', 'implicit', 'implicit']);
  });

  it('follows what the workers report', () => {
    const { router, index } = make();
    index.replace('c', 0, chain(1, 8));
    expect(serve(router, withBlocks(chain(1, 10)))).toMatchObject({ server: 'c', matchedTokens: 256 });
    index.apply('c', 0, { stored: [], removed: chain(1, 8) });
    index.apply('b', 1, { stored: chain(1, 3), removed: [] });
    expect(serve(router, withBlocks(chain(1, 10)))).toMatchObject({ server: 'b', matchedTokens: 96 });
  });

  it('the registry makes it with the defaults of the reference', () => {
    const { router, ignoredArgs } = createRouterRegistry().create(
      'KV_Cache_Aware',
      { use_tokens: true, tokenizer_dir: '/x', custom_tokenizer: null, use_harmony: null, model_path: null },
      { servers: ['a', 'b'] },
    );
    if (!(router instanceof KvCacheAwareRouter)) throw new Error('wrong type');
    expect(ignoredArgs).toEqual(['use_tokens', 'tokenizer_dir', 'custom_tokenizer', 'use_harmony', 'model_path']);
    expect(router.tokensPerBlock).toBe(32);
    // Four blocks outweigh fifteen active requests, not seventeen, and without a cap nothing else matters.
    const home = serve(router, withBlocks(chain(1, 4))).server;
    saturate(router, home, 15);
    expect(serve(router, withBlocks(chain(1, 4))).server).toBe(home);
    saturate(router, home, 2);
    expect(serve(router, withBlocks(chain(1, 4)), false).server).not.toBe(home);
  });

  it('a server is full at 64 active requests, where the cap is one and nothing else is said', () => {
    const index = new PrefixIndex({ maxBytes: 2 ** 20 });
    const { router } = createRouterRegistry().create(
      'kv_cache_aware',
      { load_cap: 1 },
      { servers: SERVERS, prefixIndex: index },
    );
    if (!(router instanceof KvCacheAwareRouter)) throw new Error('wrong type');
    index.replace('b', 0, chain(1, 1000));
    saturate(router, 'b', 63);
    expect(place(router, withBlocks(chain(1, 1000))).server).toBe('b');
    expect(place(router, withBlocks(chain(1, 1000))).server).not.toBe('b');
    expect([...index.match(chain(1, 1000)).perServer.keys()]).toEqual(['b']);
  });

  it('the registry passes every argument on', () => {
    const index = new PrefixIndex({ maxBytes: 2 ** 20 });
    const args = {
      max_batch_size: 2,
      load_cap: 1,
      load_weight: 10,
      tokens_per_block: 64,
      track_routed_blocks: false,
      predict_in_flight: true,
    };
    const { router } = createRouterRegistry().create('kv_cache_aware', args, { servers: SERVERS, prefixIndex: index });
    if (!(router instanceof KvCacheAwareRouter)) throw new Error('wrong type');
    expect(router.tokensPerBlock).toBe(64);
    const first = place(router, withBlocks(chain(1, 50)));
    expect(serversOf([1, 2].map(() => place(router, withBlocks(chain(1, 50)))))).toEqual([
      first.server,
      expect.not.stringContaining(first.server),
    ]);
    router.finish(first, true);
    expect(index.match(chain(1, 1)).perServer.get(first.server)).toBe(1);
    router.removeServer(first.server);
    expect(index.match(chain(1, 1)).perServer.has(first.server)).toBe(false);
  });
});

describe('choosing', () => {
  it('takes turns among equal scores by a counter of all selections', () => {
    const { router, index } = make();
    expect(serversOf([1, 2, 3, 4].map(() => serve(router, withBlocks(null))))).toEqual(['a', 'b', 'c', 'a']);
    for (const server of ['a', 'b']) index.replace(server, 0, chain(1, 2));
    // The fifth and sixth selection, of two that tie.
    expect(serversOf([1, 2].map(() => serve(router, withBlocks(chain(1, 2)))))).toEqual(['a', 'b']);
  });

  it('leaves out servers at the cap, or considers all when every one is there', () => {
    const { router, index } = make({ maxBatchSize: 4, loadCap: 0.5 });
    index.replace('a', 0, chain(1, 100));
    const placed = Array.from({ length: 7 }, () => place(router, withBlocks(chain(1, 100))));
    expect(counts(router)).toEqual([3, 2, 2]);
    expect(placed.at(-1)).toMatchObject({ server: 'a', decision: 'implicit' });
  });

  it('places requests without block hashes by load, with nothing matched', () => {
    const { router, index } = make();
    index.replace('a', 0, chain(1, 5));
    saturate(router, 'a', 1);
    const { conversationId, subagentAffinityId, textChars, text, promptTokenIds, numTokens } = withBlocks(null);
    const bare = { conversationId, subagentAffinityId, textChars, text, promptTokenIds, numTokens: numTokens ?? 0 };
    for (const request of [withBlocks(null), bare]) {
      const placement = place(router, request);
      expect(placement).toMatchObject({ decision: 'new', matchedTokens: 0, numTokens: 5 });
      expect(placement.server).not.toBe('a');
    }
  });

  it('has no use for ids: neither a conversation id nor a parent session binds anything', () => {
    const { router } = make();
    const request = { ...withBlocks(null), conversationId: 'c', subagentAffinityId: 'p' };
    const placements = [1, 2, 3].map(() => serve(router, request));
    expect(new Set(serversOf(placements)).size).toBe(3);
    expect(placements.map(({ routingKey }) => routingKey)).toEqual([null, null, null]);
  });
});

describe('content pins', () => {
  const request = withBlocks(null, 'system, task');

  it.each([
    ['excluded', (router: KvCacheAwareRouter, home: string) => place(router, request, [home])],
    [
      'full',
      (router: KvCacheAwareRouter, home: string) => {
        saturate(router, home, 1);
        return place(router, request);
      },
    ],
  ])('move for good when the home is %s', (_, move) => {
    const { router } = make({ maxBatchSize: 1, loadCap: 1 });
    const home = serve(router, request).server;
    const moved = move(router, home);
    expect(moved).toMatchObject({ decision: 'rebound' });
    expect(moved.server).not.toBe(home);
    router.finish(moved, true);
    expect(serve(router, request)).toMatchObject({ server: moved.server, decision: 'sticky' });
  });

  it('end with their server, and do not come back with it', () => {
    const { router } = make({}, ['a']);
    serve(router, request);
    router.addServer('b');
    router.removeServer('a');
    expect(serve(router, request)).toMatchObject({ server: 'b', decision: 'new' });
    router.addServer('a');
    expect(serve(router, request)).toMatchObject({ server: 'b', decision: 'sticky' });
  });

  it('win over more blocks elsewhere', () => {
    const { router, index } = make();
    const home = serve(router, request).server;
    const other = home === 'a' ? 'b' : 'a';
    index.replace(other, 0, chain(1, 100));
    expect(serve(router, withBlocks(chain(1, 100), 'system, task'))).toMatchObject({ server: home, matchedTokens: 0 });
  });

  it('number 50,000 at most, the least recently used going first', () => {
    const { router } = make();
    const numbered = (number: number): RouteRequest => withBlocks(null, String(number));
    for (let number = 0; number < 50_000; number++) serve(router, numbered(number));
    serve(router, numbered(0));
    serve(router, numbered(50_000));
    expect(serve(router, numbered(0)).decision).toBe('sticky');
    expect(serve(router, numbered(1)).decision).toBe('new');
  });
});

describe('tracked blocks', () => {
  it.each([
    ['succeeded', {}, true, 5],
    ['failed', {}, false, 0],
    ['succeeded, without tracking', { trackRoutedBlocks: false }, true, 0],
  ])('of a request that %s', (_, options, success, expected) => {
    const { router, index } = make(options);
    const { server } = serve(router, withBlocks(chain(1, 5)), success);
    expect(index.match(chain(1, 5)).perServer.get(server) ?? 0).toBe(expected);
  });

  it('are none while the request is in flight', () => {
    const { router, index } = make();
    place(router, withBlocks(chain(1, 5)));
    expect(index.match(chain(1, 5)).perServer.size).toBe(0);
  });

  it('are tracked once, and end with what the server itself reports', () => {
    const { router, index } = make();
    const placement = serve(router, withBlocks(chain(1, 5)));
    index.replace(placement.server, 0, chain(1, 2));
    router.finish(placement, true);
    expect(index.match(chain(1, 5)).perServer.get(placement.server)).toBe(2);
  });

  it('are not claimed for a new life of the server', () => {
    const { router, index } = make({}, ['a']);
    const placement = place(router, withBlocks(chain(1, 5)));
    router.removeServer('a');
    router.addServer('a');
    router.finish(placement, true);
    expect(index.match(chain(1, 5)).perServer.size).toBe(0);
  });
});

describe('faults that others report', () => {
  it('load that is known late favours the first server: a burst before any report spreads evenly', () => {
    const { router } = make();
    for (let burst = 0; burst < 30; burst++) place(router, withBlocks(chain(burst, 10)));
    expect(counts(router)).toEqual([10, 10, 10]);
  });

  it('a shared system prompt draws everything to one server: a load cap spreads it', () => {
    const { router, index } = make({ maxBatchSize: 8, loadCap: 1 });
    index.replace('a', 0, chain(1, 500));
    for (let count = 0; count < 24; count++) place(router, withBlocks([...chain(1, 500), ...chain(2 + count, 10)]));
    expect(counts(router)).toEqual([8, 8, 8]);
  });

  it('siblings that come before any report scatter: with prediction they follow the first, up to the cap', () => {
    const servers = Array.from({ length: 8 }, (_, at) => String(at));
    const { router, index } = make({ predictInFlight: true, maxBatchSize: 5, loadCap: 1 }, servers);
    const siblings = Array.from({ length: 12 }, (_, at) =>
      place(router, withBlocks([...chain(1, 300), ...chain(2 + at, 5)])),
    );
    expect(counts(router).sort()).toEqual([0, 0, 0, 0, 0, 2, 5, 5]);
    expect(siblings.map(({ decision }) => decision).filter((decision) => decision === 'new')).toHaveLength(3);
    for (const sibling of siblings) router.finish(sibling, false);
    expect(index.match(chain(1, 300)).perServer.size).toBe(0);
    expect(index.stats().owners).toBe(0);
  });

  it('without prediction they spread by load, as the reference has it', () => {
    const { router } = make();
    for (let at = 0; at < 12; at++) place(router, withBlocks([...chain(1, 300), ...chain(2 + at, 5)]));
    expect(counts(router)).toEqual([4, 4, 4]);
  });
});

describe('block sizes', () => {
  it.each([
    [null, 64, true, 64],
    [32, 32, true, 32],
    [32, 64, false, 32],
    [64, 16, false, 64],
  ])('of the router, %s, and of a worker, %s', (own, workers, matches, result) => {
    const { router } = make({ tokensPerBlock: own });
    expect(router.adoptTokensPerBlock(workers)).toBe(matches);
    expect(router.tokensPerBlock).toBe(result);
  });

  it('are the first worker’s where automatic, and refuse one that does not fit', () => {
    const { router } = make({ tokensPerBlock: null });
    router.adoptTokensPerBlock(64);
    expect(router.adoptTokensPerBlock(32)).toBe(false);
    expect(() => router.adoptTokensPerBlock(48)).toThrow('tokens_per_block: the router has 64, the worker 48');
  });

  it('tell matched tokens', () => {
    const { router, index } = make({ tokensPerBlock: null });
    router.adoptTokensPerBlock(128);
    index.replace('a', 0, chain(1, 3));
    expect(place(router, withBlocks(chain(1, 3))).matchedTokens).toBe(384);
  });
});

// Types by name, unknown and unavailable types, and what each argument may be.
import { describe, expect, it } from '@jest/globals';

import { ConversationRouter } from '../conversation/conversation-router.js';
import { RoundRobinRouter } from '../round-robin/round-robin-router.js';

import { createRouterRegistry, DEFAULT_ROUTER_TYPE } from './built-in-routers.js';
import { RouterArgumentError } from './router-arguments.js';
import { UnsupportedRouterTypeError } from './router-registry.js';

const TYPES = '[round_robin, load_balancing, kv_cache_aware, conversation]';

describe('RouterRegistry', () => {
  it('finds a type in any case', () => {
    const { router } = createRouterRegistry().create('Conversation');
    expect(router).toBeInstanceOf(ConversationRouter);
  });

  it('has round_robin for its default', () => {
    const { router } = createRouterRegistry().create(DEFAULT_ROUTER_TYPE);
    expect(router).toBeInstanceOf(RoundRobinRouter);
  });

  it('names an unknown type and the types there are', () => {
    const create = (): unknown => createRouterRegistry().create('Random');
    expect(create).toThrow(UnsupportedRouterTypeError);
    expect(create).toThrow(`Unsupported router type: Random. Supported types are: ${TYPES}`);
  });

  it('takes further types, once each', () => {
    const registry = createRouterRegistry();
    registry.register('Mine', () => new RoundRobinRouter(['x']));
    expect(registry.create('mINE').router.servers()).toEqual(['x']);
    expect(() => registry.register('mine', () => new RoundRobinRouter())).toThrow('mine');
  });

  it('gives routers their first servers', () => {
    for (const type of createRouterRegistry().types()) {
      const { router } = createRouterRegistry().create(type, {}, { servers: ['a', 'b'] });
      expect(router.servers()).toEqual(['a', 'b']);
    }
  });

  it('reports arguments that a router has no use for', () => {
    const args = { max_sessions: 5, use_harmony: null, max_sesions: 7 };
    const { ignoredArgs } = createRouterRegistry().create('conversation', args);
    expect(ignoredArgs).toEqual(['use_harmony', 'max_sesions']);
    expect(createRouterRegistry().create('round_robin', args).ignoredArgs).toEqual(Object.keys(args));
  });

  it('takes null for the default', () => {
    const args = {
      max_sessions: null,
      match_threshold: null,
      use_token_ids: null,
      idle_ttl_sec: null,
      rebalance_idle_sec: null,
    };
    expect(createRouterRegistry().create('conversation', args).ignoredArgs).toEqual([]);
  });

  it.each([
    ['conversation', 'max_sessions', [0, -1, 1.5, '9', true, Infinity, NaN]],
    ['conversation', 'match_threshold', [-0.1, 1.1, '0.5', NaN, []]],
    ['conversation', 'tokens_per_block', [0, 0.5, '128']],
    ['conversation', 'hash_skip_count', [-1, 0.5, {}]],
    ['conversation', 'content_bytes', [0, 65_535, 65_536.5, '1 GB']],
    ['conversation', 'use_token_ids', [1, 'true', true]],
    ['conversation', 'idle_ttl_sec', [0, -1, '1']],
    ['conversation', 'rebalance_idle_sec', [0, -1, '1']],
    ['load_balancing', 'use_tokens', [0, 'false']],
    ['kv_cache_aware', 'max_batch_size', [0, -1, 1.5, '64']],
    ['kv_cache_aware', 'tokens_per_block', [0, 0.5, '32', 'auto']],
    ['kv_cache_aware', 'load_weight', [-0.1, '1', NaN, Infinity]],
    ['kv_cache_aware', 'load_cap', [-1, '1', NaN]],
    ['kv_cache_aware', 'track_routed_blocks', [1, 'yes']],
    ['kv_cache_aware', 'predict_in_flight', [0, 'no']],
  ])('%s refuses a wrong %s by name', (type, key, values) => {
    for (const value of values) {
      const create = (): unknown => createRouterRegistry().create(type, { [key]: value });
      expect(create).toThrow(RouterArgumentError);
      expect(create).toThrow(`${key} must be `);
    }
  });

  it('passes every argument on', () => {
    let clock = 0;
    const { router } = createRouterRegistry().create(
      'conversation',
      {
        max_sessions: 1,
        tokens_per_block: 2,
        hash_skip_count: 1,
        match_threshold: 0.5,
        use_token_ids: true,
        idle_ttl_sec: 2,
      },
      { servers: ['a'], nodeId: 3, now: () => clock, tokenize: () => [9, 1, 1, 2, 2, 0] },
    );
    const byContent = (promptTokenIds: number[] | null): string | undefined =>
      router.route({
        conversationId: null,
        subagentAffinityId: null,
        textChars: 0,
        text: () => '',
        promptTokenIds,
      })?.decision;
    expect(byContent(null)).toBe('new');
    expect(router.loads().get('a')).toBe(4);
    expect(byContent([8, 1, 1, 3, 3, 0])).toBe('implicit');
    expect(byContent([8, 4, 4, 5, 5, 0])).toBe('new');
    clock = 2000;
    expect(byContent([8, 4, 4, 5, 5, 0])).toBe('new');
    if (!(router instanceof ConversationRouter)) throw new Error('wrong type');
    expect([...router.bindings()]).toEqual([['conv_id:3_3', 'a']]);
  });

  it('bounds the content of sessions by content_bytes', () => {
    const args = { content_bytes: 65_536, tokens_per_block: 1, match_threshold: 1 };
    const { router } = createRouterRegistry().create('conversation', args, { servers: ['a'] });
    const request = { conversationId: null, subagentAffinityId: null, textChars: 0, text: () => '' };
    const decide = (seed: number): string | undefined =>
      router.route({ ...request, promptTokenIds: new Uint32Array(5000).fill(seed) })?.decision;
    expect(decide(1)).toBe('new');
    // Of a prompt that is larger than that the beginning is known, which is not all of it.
    expect(decide(1)).toBe('new');
  });

  it.each(['idle_ttl_sec', 'rebalance_idle_sec'])('needs a clock for %s', (key) => {
    expect(() => createRouterRegistry().create('conversation', { [key]: 60 })).toThrow(key);
  });

  it.each([
    [1999, 'sticky'],
    [2000, 'rebound'],
  ])('counts rebalance_idle_sec in seconds: after %p ms %s', (pause, decision) => {
    let clock = 0;
    const dependencies = { servers: ['a', 'b'], now: () => clock };
    const { router } = createRouterRegistry().create('conversation', { rebalance_idle_sec: 2 }, dependencies);
    const ask = (conversationId: string): string | undefined => {
      const request = { conversationId, subagentAffinityId: null, textChars: 0, text: () => '', promptTokenIds: null };
      const placement = router.route(request);
      if (placement !== null) router.finish(placement, true);
      return placement?.decision;
    };
    for (const id of ['idle', 'on b']) ask(id);
    clock = 1000;
    for (let turn = 0; turn < 9; turn++) ask('on a');
    clock = pause;
    expect(ask('idle')).toBe(decision);
  });
});

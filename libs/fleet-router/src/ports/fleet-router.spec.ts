// What every router promises (reference 8.3 "generic routers", 2.1, 2.2, 2.4): run over all of them.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { createRouterRegistry } from '../registry/built-in-routers.js';

import { type FleetRouter, type Placement, type RouteRequest } from './fleet-router.js';

const SERVERS = ['a:1', 'b:1', 'c:1'];

const request = (conversationId: string | null, text = 'x'): RouteRequest => ({
  conversationId,
  subagentAffinityId: null,
  textChars: text.length,
  text: () => text,
  promptTokenIds: null,
  completion: true,
});

const setups: readonly [string, Record<string, unknown>][] = [
  ['round_robin', {}],
  ['load_balancing', {}],
  ['load_balancing', { use_tokens: true }],
  ['kv_cache_aware', {}],
  ['kv_cache_aware', { predict_in_flight: true, load_cap: 0.01 }],
  ['conversation', {}],
  ['conversation', { max_sessions: 2, tokens_per_block: 4 }],
];

describe.each(setups)('%s %j', (type, args) => {
  const make = (servers: readonly string[] = SERVERS): FleetRouter =>
    createRouterRegistry().create(type, args, { servers }).router;

  it('names its type', () => {
    expect(make().type).toBe(type);
  });

  it('spreads new requests over all servers', () => {
    const router = make();
    const chosen = ['one', 'two', 'three'].map((id) => router.route(request(id))?.server);
    expect(chosen.sort()).toEqual(SERVERS);
  });

  it('has no candidate without servers, nor with all excluded', () => {
    expect(make([]).route(request('one'))).toBeNull();
    const router = make(['a:1']);
    expect(router.route(request('one'), new Set(['a:1']))).toBeNull();
    expect(router.loads()).toEqual(new Map([['a:1', 0]]));
    expect(router.route(request('one'))?.server).toBe('a:1');
  });

  it('follows additions and removals, and takes both twice', () => {
    const router = make(['a:1']);
    router.addServer('b:1');
    router.addServer('b:1');
    router.removeServer('a:1');
    router.removeServer('a:1');
    expect(router.servers()).toEqual(['b:1']);
    expect(router.route(request('one'))?.server).toBe('b:1');
  });

  it('releases a placement once', () => {
    const router = make(['a:1']);
    const first = router.route(request('one', 'x'.repeat(100)));
    const second = router.route(request('one', 'x'.repeat(100)));
    const before = router.loads().get('a:1') ?? NaN;
    if (first === null || second === null) throw new Error('no placement');
    router.finish(first, true);
    router.finish(first, false);
    expect(router.loads().get('a:1')).toBe(before / 2);
  });

  it("keeps the load of a server's new life apart from its old one's", () => {
    const router = make(['a:1']);
    const old = router.route(request('one'));
    router.removeServer('a:1');
    router.addServer('a:1');
    const current = router.route(request('one'));
    const load = router.loads().get('a:1');
    if (old === null || current === null) throw new Error('no placement');
    router.finish(old, true);
    expect(router.loads().get('a:1')).toBe(load);
    router.finish(current, true);
    expect(router.loads().get('a:1')).toBe(0);
  });

  it('refuses a placement that it did not make', () => {
    const foreign: Placement = {
      server: 'a:1',
      decision: 'new',
      reason: '',
      routingKey: null,
    };
    expect(() => make().finish(foreign, true)).toThrow(TypeError);
  });

  it('never chooses an excluded server, has no negative load, and none in the end', () => {
    const server = fc.constantFrom('a:1', 'b:1', 'c:1', 'd:1');
    const route = fc.record({
      id: fc.option(fc.constantFrom('i', 'j', 'k', 'l')),
      text: fc.string({ maxLength: 40 }),
      exclude: fc.array(server, { maxLength: 2 }),
    });
    const operation = fc.oneof(
      { weight: 6, arbitrary: fc.record({ route }) },
      { weight: 4, arbitrary: fc.record({ finish: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ add: server }) },
      { weight: 1, arbitrary: fc.record({ remove: server }) },
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 80 }), (operations) => {
        const router = make();
        const placements: Placement[] = [];
        const wrong: unknown[] = [];
        for (const step of operations) {
          if ('add' in step) router.addServer(step.add);
          else if ('remove' in step) router.removeServer(step.remove);
          else if ('finish' in step) {
            finishAny(router, placements, step.finish);
          } else {
            const { id, text, exclude } = step.route;
            const placement = router.route(request(id, text), new Set(exclude));
            if (!candidates(router, exclude).includes(placement?.server ?? null)) wrong.push(step);
            if (placement) placements.push(placement);
          }
          wrong.push(...[...router.loads().values()].filter((load) => load < 0));
        }
        for (const placement of placements) router.finish(placement, true);
        expect(wrong).toEqual([]);
        expect([...router.loads().values()].every((load) => load === 0)).toBe(true);
      }),
    );
  });
});

/** Finishes one of the placements, which may be finished already. */
function finishAny(router: FleetRouter, placements: readonly Placement[], which: number): void {
  const placement = placements[which % placements.length];
  if (placement) router.finish(placement, which % 2 === 0);
}

/** What `route` may answer; null stands for no server. */
function candidates(router: FleetRouter, exclude: readonly string[]): (string | null)[] {
  const allowed = router.servers().filter((name) => !exclude.includes(name));
  return allowed.length === 0 ? [null] : allowed;
}

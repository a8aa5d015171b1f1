import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { type Placement, type RouteRequest } from '../ports/fleet-router.js';

import { ConversationRouter } from './conversation-router.js';

/** Owns: where new conversations go and which ones move with `rebalance`; without it the router is its other specs'. */

const IDLE = 1000;

/** A router with a clock, and requests that end at once, or with their `finish`. */
class Rig {
  now = 0;
  readonly router: ConversationRouter;

  constructor(servers: readonly string[] = ['a', 'b'], ttlMs?: number) {
    const now = (): number => this.now;
    this.router = new ConversationRouter(servers, {
      ...{ matchThreshold: 0.75, tokensPerBlock: 4, hashSkipCount: 0, maxSessions: 100, maxContentBytes: 65_536 },
      rebalance: { idleMs: IDLE, now },
      ...(ttlMs === undefined ? {} : { idle: { ttlMs, now } }),
    });
  }

  begin(id: string, more: Partial<RouteRequest> = {}, exclude?: ReadonlySet<string>): Placement {
    const request = { conversationId: id, subagentAffinityId: null, textChars: 50, text: () => id, ...more };
    const placement = this.router.route({ promptTokenIds: null, ...request }, exclude);
    if (placement === null) throw new Error('no server');
    return placement;
  }

  /** Server and decision of a request that ends at once. */
  ask(id: string, more: Partial<RouteRequest> = {}, exclude?: ReadonlySet<string>): string {
    const placement = this.begin(id, more, exclude);
    this.router.finish(placement, true);
    return `${placement.server} ${placement.decision}`;
  }
}

/** `busy` has asked often on a, `idle` once long ago there too, `other` once on b. */
function unevenRig(): Rig {
  const rig = new Rig();
  expect(rig.ask('idle')).toBe('a new');
  expect(rig.ask('other')).toBe('b new');
  rig.now = IDLE - 1;
  expect(rig.ask('busy')).toBe('a new');
  rig.now = IDLE;
  for (let turn = 0; turn < 5; turn++) expect(rig.ask('busy')).toBe('a sticky');
  return rig;
}

describe('a conversation router that evens out', () => {
  it('gives a new conversation to the idle server that had fewest requests lately', () => {
    const rig = new Rig(['a', 'b', 'c']);
    for (let turn = 0; turn < 3; turn++) rig.ask('one');
    expect(['two', 'three', 'four'].map((id) => rig.ask(id))).toEqual(['b new', 'c new', 'b new']);
  });

  it('looks at what is in flight first', () => {
    const rig = new Rig();
    for (let turn = 0; turn < 3; turn++) rig.ask('one');
    rig.begin('long');
    expect(rig.ask('short')).toBe('a new');
  });

  it('moves a conversation that comes back after a pause to a home that had less than its share', () => {
    const rig = unevenRig();
    const moved = rig.begin('idle');
    expect([moved.server, moved.decision]).toEqual(['b', 'rebound']);
    expect(moved.reason).toBe('idle, and home had more than its share: least loaded');
    expect(rig.ask('idle')).toBe('b sticky');
  });

  it('takes sub-agents along, and moves for them too', () => {
    const rig = unevenRig();
    expect(rig.ask('child', { subagentAffinityId: 'idle' })).toBe('b rebound');
    expect(rig.ask('idle')).toBe('b sticky');
    expect(rig.ask('child', { subagentAffinityId: 'idle' })).toBe('b parent');
  });

  it('moves nobody who was there lately, nor whose home had its share', () => {
    const rig = unevenRig();
    rig.now = IDLE - 1;
    expect(rig.ask('idle')).toBe('a sticky');
    const even = unevenRig();
    for (let turn = 0; turn < 5; turn++) even.ask('other');
    expect(even.ask('idle')).toBe('a sticky');
  });

  it('moves nobody to a server that is excluded, or that had no fewer', () => {
    expect(unevenRig().ask('idle', {}, new Set(['b']))).toBe('a sticky');
    const rig = unevenRig();
    rig.begin('other');
    expect(rig.ask('idle')).toBe('a sticky');
  });

  it('lets bindings end by time all the same', () => {
    const rig = new Rig(['a'], IDLE / 2);
    rig.ask('one');
    rig.now = IDLE / 2;
    expect(rig.ask('one')).toBe('a new');
  });

  it('moves only to servers that may serve, and only after a pause', () => {
    const step = fc.record({
      id: fc.constantFrom('i', 'j', 'k', 'l', 'm'),
      wait: fc.nat({ max: IDLE }),
      exclude: fc.subarray(['a', 'b', 'c'], { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const rig = new Rig(['a', 'b', 'c']);
        const homes = new Map<string, { readonly server: string; readonly usedAt: number }>();
        for (const { id, wait, exclude } of steps) {
          rig.now += wait;
          const [server = ''] = rig.ask(id, {}, new Set(exclude)).split(' ');
          const home = homes.get(id);
          expect(exclude).not.toContain(server);
          const mayLeave = home === undefined || exclude.includes(home.server) || rig.now - home.usedAt >= IDLE;
          expect(mayLeave || server === home.server).toBe(true);
          homes.set(id, { server, usedAt: rig.now });
        }
      }),
    );
  });
});

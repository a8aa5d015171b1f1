// Reference 2.1: the turn, what exclusion and a changed list do to it.
import { describe, expect, it } from '@jest/globals';

import { type RouteRequest } from '../ports/fleet-router.js';

import { RoundRobinRouter } from './round-robin-router.js';

const request: RouteRequest = {
  conversationId: 'same',
  subagentAffinityId: 'same',
  textChars: 1,
  text: () => 'x',
  promptTokenIds: null,
};

const turns = (router: RoundRobinRouter, count: number, exclude?: ReadonlySet<string>): (string | undefined)[] =>
  Array.from({ length: count }, () => router.route(request, exclude)?.server);

describe('RoundRobinRouter', () => {
  it('takes turns whatever the conversation', () => {
    const router = new RoundRobinRouter(['a', 'b', 'c']);
    expect(turns(router, 4)).toEqual(['a', 'b', 'c', 'a']);
  });

  it('skips the excluded, which lose their turn', () => {
    const router = new RoundRobinRouter(['a', 'b', 'c']);
    expect(turns(router, 1, new Set(['a']))).toEqual(['b']);
    expect(turns(router, 1)).toEqual(['c']);
    expect(turns(router, 1, new Set(['a', 'b']))).toEqual(['c']);
  });

  it('does not begin again when the servers change', () => {
    const router = new RoundRobinRouter(['a', 'b']);
    expect(turns(router, 1)).toEqual(['a']);
    router.addServer('c');
    expect(turns(router, 3)).toEqual(['b', 'c', 'a']);
  });

  it('keeps no load', () => {
    const router = new RoundRobinRouter(['a']);
    turns(router, 3);
    expect(router.loads()).toEqual(new Map([['a', 0]]));
  });
});

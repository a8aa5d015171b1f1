import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Identity } from '@roost/affinity-auth';

import { AffinityWatch } from './affinity-watch.js';

// Owns: when affinity that does nothing is counted, and that it is warned of once.

const identity = (own: string | null, parent: string | null = null): Identity => ({
  conversationId: own,
  subagentAffinityId: parent,
  routingKey: parent ?? own,
  synthesised: false,
});

describe('AffinityWatch', () => {
  let warnings: string[];
  let counts: Map<string, number>;

  beforeEach(() => {
    warnings = [];
    counts = new Map();
  });

  function watchOver(parentHeader: string | null): AffinityWatch {
    const add = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
    return new AffinityWatch(parentHeader, { add: add }, (message) => warnings.push(message));
  }

  it('warns at the hundredth request without the header, and never again', () => {
    const watch = watchOver('X-Parent');
    for (let request = 0; request < 99; request++) watch.note(identity('s'));
    expect(warnings).toEqual([]);
    for (let request = 0; request < 300; request++) watch.note(identity('s'));
    expect(warnings).toEqual([expect.stringContaining('X-Parent')]);
    expect(counts.get('parentHeaderNeverSeen')).toBe(399);
  });

  it('is content with one request that had it', () => {
    const watch = watchOver('X-Parent');
    watch.note(identity('child', 'parent'));
    for (let request = 0; request < 300; request++) watch.note(identity('s'));
    expect(warnings).toEqual([]);
    expect([...counts]).toEqual([['subagentRequests', 1]]);
  });

  it('says nothing of a header that is not configured', () => {
    const watch = watchOver(null);
    for (let request = 0; request < 300; request++) watch.note(identity('s'));
    expect(warnings).toEqual([]);
    expect(counts.size).toBe(0);
  });

  it.each([
    [50, 0],
    [51, 1],
  ])('with %i of 100 requests without an id gives %i warnings', (missing, expected) => {
    const watch = watchOver(null);
    for (let round = 0; round < 3; round++) {
      for (let request = 0; request < 100; request++) watch.note(identity(request < missing ? null : 's'));
    }
    expect(warnings).toHaveLength(expected);
    expect(counts.get('sessionIdMissing')).toBe(3 * missing);
  });

  it('takes an id that was made up for one that is missing', () => {
    const watch = watchOver('X-Parent');
    watch.note({ ...identity('subagent:1', 'parent'), synthesised: true });
    expect(counts.get('sessionIdMissing')).toBe(1);
  });
});

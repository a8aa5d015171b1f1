import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { BlockChanges } from './block-changes.js';

/** Owns: that sums of changes lead to what the changes themselves lead to. */

describe('BlockChanges', () => {
  it('adds up to the same blocks, however they are summed', () => {
    const toggles = fc.array(fc.oneof(fc.bigInt({ min: 0n, max: 5n }), fc.constant('take' as const)));
    fc.assert(
      fc.property(toggles, (steps) => {
        const changes = new BlockChanges();
        const held = new Set<bigint>();
        const followed = new Set<bigint>();
        for (const step of [...steps, 'take' as const]) {
          if (step !== 'take') {
            const isHeld = held.delete(step);
            if (!isHeld) held.add(step);
            changes.add(isHeld ? { type: 'removed', hash: step } : { type: 'stored', hash: step, parent: null });
            continue;
          }
          const { stored, removed } = changes.take() ?? { stored: [], removed: [] };
          expect(new Set(stored).isDisjointFrom(new Set(removed))).toBe(true);
          for (const hash of removed) followed.delete(hash);
          for (const hash of stored) followed.add(hash);
          expect(followed).toEqual(held);
        }
      }),
    );
  });

  it('says when nothing has changed', () => {
    const changes = new BlockChanges();
    changes.add({ type: 'stored', hash: 1n, parent: null });
    changes.add({ type: 'removed', hash: 1n });
    expect(changes.take()).toBeNull();
  });
});

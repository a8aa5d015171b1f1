// Owns the choice of a sequence: what is reused, what is copied, and what makes room.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { chooseRoom, chooseSlot, type SlotChoice, type SlotRequest, type SlotView } from './choose-slot.js';

interface TestSlot extends SlotView {
  readonly shared: number;
}

const slotOf = (slot: Partial<TestSlot> = {}): TestSlot => ({
  isFree: true,
  length: 100,
  conversationId: null,
  lastUsed: 0,
  shared: 0,
  ...slot,
});

const requestOf = (conversationId: string | null): SlotRequest<TestSlot> => ({
  conversationId,
  shared: (slot) => slot.shared,
  leastFork: 32,
});

describe('chooseSlot', () => {
  const empty = slotOf({ length: 0 });
  const parent = slotOf({ conversationId: 'parent', shared: 90, lastUsed: 5 });
  const old = slotOf({ conversationId: 'old', lastUsed: 1 });

  it.each([
    ['goes on with its own', 'parent', [old, parent, empty], { kind: 'continue', slot: parent, reused: 90 }],
    ["copies another's", 'sub', [old, parent, empty], { kind: 'fork', slot: empty, donor: parent, reused: 90 }],
    ['evicts the least recently used', 'sub', [parent, old], { kind: 'fork', slot: old, donor: parent, reused: 90 }],
    ["takes another's over when nothing else is free", 'sub', [parent], { kind: 'continue', slot: parent, reused: 90 }],
    ['begins afresh without a shared prefix', 'sub', [old, empty], { kind: 'fresh', slot: empty }],
  ] as const)('%s', (_title, conversationId, slots, choice) => {
    expect(chooseSlot(slots, requestOf(conversationId))).toEqual(choice);
  });

  it('copies from a sequence that is at work', () => {
    const busy = { ...parent, isFree: false };
    expect(chooseSlot([busy, empty], requestOf('sub'))).toEqual({ kind: 'fork', slot: empty, donor: busy, reused: 90 });
  });

  it("puts the copy where the request's own older turn lies", () => {
    const own = slotOf({ conversationId: 'sub', shared: 40, lastUsed: 9 });
    expect(chooseSlot([empty, parent, own], requestOf('sub'))).toMatchObject({ kind: 'fork', slot: own });
  });

  it('makes no copy of a few tokens', () => {
    const far = slotOf({ conversationId: 'other', shared: 31 });
    expect(chooseSlot([far, empty], requestOf('sub'))).toEqual({ kind: 'fresh', slot: empty });
    const own = slotOf({ conversationId: 'sub', shared: 10 });
    expect(chooseSlot([far, empty, own], requestOf('sub'))).toEqual({ kind: 'continue', slot: own, reused: 10 });
  });

  it('goes on with an unnamed conversation of which nothing is lost', () => {
    const whole = slotOf({ length: 50, shared: 50 });
    expect(chooseSlot([whole, empty], requestOf(null))).toEqual({ kind: 'continue', slot: whole, reused: 50 });
    const longer = slotOf({ length: 51, shared: 50 });
    expect(chooseSlot([longer, empty], requestOf(null))).toMatchObject({ kind: 'fork', donor: longer });
  });

  it('reuses the longest prefix worth it, takes free sequences only, and never spoils one it copies from', () => {
    const slots = fc.array(
      fc
        .record({
          isFree: fc.boolean(),
          length: fc.nat(64),
          conversationId: fc.constantFrom(null, 'a', 'b'),
          lastUsed: fc.nat(),
          share: fc.double({ min: 0, max: 1, noNaN: true }),
        })
        .map(({ share, ...slot }) => slotOf({ ...slot, shared: Math.floor(share * slot.length) })),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(slots, fc.constantFrom(null, 'a', 'b'), (all, conversationId) => {
        const choice = chooseSlot(all, requestOf(conversationId));
        expect(choice === null).toBe(all.every(({ isFree }) => !isFree));
        expect(chooseRoom(all, conversationId) === null).toBe(choice === null);
        expect(choice === null || isSound(choice, all)).toBe(true);
      }),
    );
  });
});

function isSound(choice: SlotChoice<TestSlot>, all: readonly TestSlot[]): boolean {
  const longest = Math.max(...all.map(({ shared }) => shared));
  const reused = choice.kind === 'fresh' ? 0 : choice.reused;
  const reusesEnough = longest < 32 || reused === longest;
  const isWhole = choice.kind !== 'continue' || choice.slot.shared === choice.reused;
  const isCopy = choice.kind !== 'fork' || (choice.slot !== choice.donor && choice.donor.shared === choice.reused);
  return choice.slot.isFree && reusesEnough && isWhole && isCopy;
}

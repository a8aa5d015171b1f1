// Lists that share their links, against arrays.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { NO_SLOT, SlotLinks, SlotList } from './slot-list.js';

const SLOTS = 12;

const step = fc.record({
  op: fc.constantFrom('append' as const, 'remove' as const, 'move' as const, 'moveRun' as const),
  list: fc.nat(1),
  slot: fc.nat(SLOTS - 1),
  /** How many more neighbours move along. */
  more: fc.nat(4),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function listed(list: SlotList): number[] {
  const slots: number[] = [];
  for (let slot = list.first; slot !== NO_SLOT; slot = list.after(slot)) slots.push(slot);
  return slots;
}

/** Two lists of the same links, and the arrays that they should equal. */
class Pair {
  readonly lists: readonly SlotList[];
  readonly models: number[][] = [[], []];

  constructor(links: SlotLinks) {
    this.lists = [new SlotList(links), new SlotList(links)];
  }

  apply({ op, list: which, slot, more }: Step): void {
    const list = this.lists[which];
    const model = this.models[which];
    if (list === undefined || model === undefined) return;
    const at = model.indexOf(slot);
    if (op === 'append') {
      if (this.models.some((slots) => slots.includes(slot))) return;
      list.append(slot);
      model.push(slot);
    } else if (at < 0) return;
    else if (op === 'remove') {
      list.remove(slot);
      model.splice(at, 1);
    } else {
      const run = model.splice(at, op === 'move' ? 1 : more + 1);
      if (op === 'move') list.moveToEnd(slot);
      else list.moveToEnd(slot, run.at(-1) ?? slot);
      model.push(...run);
    }
  }
}

describe('SlotList', () => {
  it('equals an array, beside another list of the same links', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const pair = new Pair(new SlotLinks(SLOTS));
        for (const each of steps) {
          pair.apply(each);
          expect(pair.lists.map(listed)).toEqual(pair.models);
          expect(pair.lists.map(({ length }) => length)).toEqual(pair.models.map(({ length }) => length));
        }
      }),
    );
  });
});

describe('a run of slots', () => {
  it('ends where the next one does not follow in the list', () => {
    const list = new SlotList(new SlotLinks(SLOTS));
    for (const slot of [3, 1, 2, 7, 5]) list.append(slot);
    const runFrom = (...slots: number[]): number => list.runFrom(Int32Array.from(slots), slots.length - 1);
    expect(runFrom(5, 7, 2, 1, 3)).toBe(0);
    expect(runFrom(7, 5, 2, 1, 3)).toBe(2);
    expect(runFrom(5, 7, 1)).toBe(2);
    expect(runFrom(5)).toBe(0);
  });
});

describe('SlotLinks', () => {
  it('makes room as it is needed, never above the limit, and keeps its lists', () => {
    const links = new SlotLinks();
    const list = new SlotList(links);
    const rooms = new Set<number>();
    for (let slot = 0; slot < 200; slot++) {
      links.reserve(slot + 1, 200);
      rooms.add(links.room);
      list.append(slot);
    }
    expect([...rooms]).toEqual([64, 128, 200]);
    expect(listed(list)).toEqual(Array.from({ length: 200 }, (_, slot) => slot));
  });
});

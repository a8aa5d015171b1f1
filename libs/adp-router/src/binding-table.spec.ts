import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { BindingTable, MAX_BINDINGS } from './binding-table.js';

const key = fc.integer({ min: 0, max: 30 }).map((n) => `conv-${String(n)}`);
const use = fc.oneof(
  fc.record({ op: fc.constant('bind' as const), key, rank: fc.nat(7) }),
  fc.record({ op: fc.constant('touch' as const), key }),
  fc.record({ op: fc.constant('find' as const), key }),
);

/** The same promises with a Map's insertion order and no care for memory. */
class NaiveTable {
  readonly ranks = new Map<string, number>();
  constructor(private readonly maxBindings: number) {}

  bind(boundKey: string, rank: number): void {
    this.ranks.delete(boundKey);
    this.ranks.set(boundKey, rank);
    const [oldest] = this.ranks.keys();
    if (this.ranks.size > this.maxBindings) this.ranks.delete(oldest ?? '');
  }

  touch(boundKey: string): void {
    const rank = this.ranks.get(boundKey);
    if (rank !== undefined) this.bind(boundKey, rank);
  }
}

describe('binding table', () => {
  test('is a map that forgets the least recently used key', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.array(use), (max, uses) => {
        const table = new BindingTable(max);
        const naive = new NaiveTable(max);
        for (const step of uses) {
          const slot = table.find(step.key);
          const rank = slot === undefined ? undefined : table.rankAt(slot);
          expect(rank).toBe(naive.ranks.get(step.key));
          if (step.op === 'bind') {
            table.bind(step.key, step.rank);
            naive.bind(step.key, step.rank);
          } else if (step.op === 'touch' && slot !== undefined) {
            table.touch(slot);
            naive.touch(step.key);
          }
          expect([...table.entries()]).toEqual([...naive.ranks]);
          expect(table.size).toBe(naive.ranks.size);
        }
      }),
    );
  });

  test('grows past its first capacity and keeps every binding', () => {
    const table = new BindingTable(5000);
    for (let n = 0; n < 7000; n += 1) table.bind(`conv-${String(n)}`, n % 16);
    const entries = [...table.entries()];
    expect(entries).toHaveLength(5000);
    expect(entries.at(0)).toEqual(['conv-2000', 2000 % 16]);
    expect(entries.at(-1)).toEqual(['conv-6999', 6999 % 16]);
  });

  test.each([0, -1, 1.5, Number.NaN, MAX_BINDINGS + 1])('refuses to hold %p bindings', (maxBindings) => {
    expect(() => new BindingTable(maxBindings)).toThrow(RangeError);
  });
});

import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { KeyIndex } from './key-index.js';

test('finds what a Map of the same keys would, through thousands of additions and removals', () => {
  const keyNumbers = fc.array(fc.nat(300), { minLength: 2000, maxLength: 4000 });
  fc.assert(
    fc.property(keyNumbers, (numbers) => {
      const index = new KeyIndex();
      const slots = new Map<string, number>();
      const free = Array.from({ length: 301 }, (_, slot) => slot);
      for (const number of numbers) {
        const key = `conv-${String(number)}`;
        const slot = slots.get(key);
        if (slot === undefined) {
          const taken = free.pop() ?? -1;
          index.add(key, taken);
          slots.set(key, taken);
        } else {
          index.remove(slot);
          slots.delete(key);
          free.push(slot);
        }
        expect(index.find(key)).toBe(slots.get(key));
      }
      expect(index.size).toBe(slots.size);
      for (let number = 0; number <= 300; number += 1) {
        const key = `conv-${String(number)}`;
        expect(index.find(key)).toBe(slots.get(key));
      }
    }),
    { numRuns: 20 },
  );
});

test('keys are compared whole', () => {
  const index = new KeyIndex();
  index.add('session-1', 0);
  index.add('session-12', 1);
  index.add('sess\u00e9\u{1F600}', 2);
  expect(index.find('session-1')).toBe(0);
  expect(index.find('session-12')).toBe(1);
  expect(index.find('sess\u00e9\u{1F600}')).toBe(2);
  expect(index.find('session')).toBeUndefined();
  expect(index.find('')).toBeUndefined();
});

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { ownCopy } from './own-copy.js';

test('a copy equals its original, whatever the characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme-ascii' }), (any, ascii) => {
      expect(ownCopy(any)).toBe(any);
      expect(ownCopy(ascii)).toBe(ascii);
    }),
  );
  for (const key of ['', '\0', '\u00ff', '\u0100', '\ud800', 'a\udc00b']) expect(ownCopy(key)).toBe(key);
});

test('a copy does not keep alive what its original was cut from', () => {
  // Only a collection tells garbage from what is kept.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const grownBy = (keep: (key: string) => string): number => {
    const kept: string[] = [];
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let at = 0; at < 32; at++) kept.push(keep(`${String(at)}-`.padEnd(1_000_000, 'x').slice(0, 40)));
    collect();
    return (process.memoryUsage().heapUsed - before) / kept.length;
  };
  // A million each, or next to nothing; what else lives and dies in this process is far from half of that.
  expect(grownBy((key) => key)).toBeGreaterThan(500_000);
  expect(grownBy(ownCopy)).toBeLessThan(500_000);
});

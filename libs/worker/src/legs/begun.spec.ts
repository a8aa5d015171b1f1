import { describe, expect, it } from '@jest/globals';

import { Begun } from './begun.js';

describe('Begun', () => {
  const told: string[] = [];

  async function* counting(): AsyncGenerator<number> {
    try {
      for (let value = 0; ; value += 1) {
        told.push(`make ${String(value)}`);
        yield await Promise.resolve(value);
      }
    } finally {
      told.push('end');
    }
  }

  it('makes the first value before anybody asks, and ends even if nobody ever does', async () => {
    told.length = 0;
    const begun = new Begun(counting());
    expect(told).toEqual(['make 0']);
    await begun.end();
    expect(told).toEqual(['make 0', 'end']);
  });

  it('gives every value once, in order', async () => {
    const taken: number[] = [];
    const begun = new Begun(counting());
    for await (const value of begun.values()) {
      taken.push(value);
      if (value === 2) break;
    }
    await begun.end();
    expect(taken).toEqual([0, 1, 2]);
  });

  it('keeps a failure for whoever takes the values', async () => {
    const failing = new Begun<number>({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('failed')) }),
    });
    await expect(failing.values().next()).rejects.toThrow('failed');
  });
});

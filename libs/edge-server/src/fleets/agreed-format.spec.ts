import { describe, expect, it } from '@jest/globals';

import { AgreedFormat } from './agreed-format.js';

// Owns: whose format counts when workers do not agree, and when workers are replaced.

describe('AgreedFormat', () => {
  it('is that of the first worker, and of no other while one with it serves', () => {
    const serving: string[] = [];
    const agreed = new AgreedFormat(() => serving);
    expect(agreed.name).toBeNull();
    expect(agreed.admits('one')).toBe(true);
    serving.push('one');
    expect([agreed.admits('two'), agreed.admits('one'), agreed.name]).toEqual([false, true, 'one']);
    // A worker that has changed between two looks counts as serving still; the others outlast it.
    serving.push('two');
    expect([agreed.admits('one'), agreed.admits('two')]).toEqual([true, false]);
  });

  it('changes with the workers, once all that had it are gone', () => {
    const serving = ['one'];
    const agreed = new AgreedFormat(() => serving);
    agreed.admits('one');
    serving.length = 0;
    expect([agreed.admits('two'), agreed.name]).toEqual([true, 'two']);
  });
});

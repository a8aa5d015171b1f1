import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { RestartPolicy } from './restart-policy.js';

const limits = { firstDelay: 100, longestDelay: 1_000, quickDeath: 5_000, mostQuickDeaths: 6 };

describe('RestartPolicy', () => {
  it('doubles the delay for each quick death in a row, up to the longest, then gives up', () => {
    const policy = new RestartPolicy(limits);
    const decisions = Array.from({ length: 6 }, () => policy.onDeath(10));
    expect(decisions).toEqual([
      { kind: 'restart', delay: 100 },
      { kind: 'restart', delay: 200 },
      { kind: 'restart', delay: 400 },
      { kind: 'restart', delay: 800 },
      { kind: 'restart', delay: 1_000 },
      { kind: 'give-up', quickDeaths: 6 },
    ]);
  });

  it('never gives up on a child that lives long in between', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 5_000, max: 1e9 }), { maxLength: 50 }), (lives) => {
        const policy = new RestartPolicy(limits);
        for (const lived of lives) expect(policy.onDeath(lived)).toEqual({ kind: 'restart', delay: 100 });
      }),
    );
  });

  it('gives up exactly when the last mostQuickDeaths deaths were all quick', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 40 }), (lives) => {
        const policy = new RestartPolicy(limits);
        let quick = 0;
        for (const lived of lives) {
          quick = lived < limits.quickDeath ? quick + 1 : 0;
          const { kind } = policy.onDeath(lived);
          expect(kind).toBe(quick >= limits.mostQuickDeaths ? 'give-up' : 'restart');
          if (kind === 'give-up') return;
        }
      }),
    );
  });

  it('refuses to try nothing at all', () => {
    expect(() => new RestartPolicy({ ...limits, mostQuickDeaths: 0 })).toThrow(RangeError);
  });
});

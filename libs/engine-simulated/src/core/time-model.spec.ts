import { describe, expect, it } from '@jest/globals';
import { TokenChain } from '@roost/block-cache';
import fc from 'fast-check';

import { Pacer } from './pacer.js';
import type { RankPlan, Step } from './rank.js';
import { Sequence } from './sequence.js';
import { iterationMs, type TimeModel, transferMs } from './time-model.js';

/** Owns: how long things take, and that rounding does not add up. */

const MODEL: TimeModel = {
  prefillTokensPerSecond: 10_000,
  decodeStepMs: 8,
  kvBandwidthBytesPerSecond: 1_000_000,
  speedUp: 1,
};
const sequence = new Sequence(
  { kind: 'prefill', chain: new TokenChain(Uint32Array.of(1), 4), maxTokens: 1 },
  () => null,
);
const plan = (...steps: [Step['kind'], number][]): RankPlan => ({
  admitted: [],
  steps: steps.map(([kind, numTokens]) => ({ sequence, kind, numTokens })),
});

describe('the time model', () => {
  it.each<[string, RankPlan[], number]>([
    ['nothing', [plan()], 0],
    ['prefill by its tokens', [plan(['prefill', 100], ['prefill', 50])], 15],
    ['one decode step for all who decode', [plan(['decode', 1], ['decode', 1])], 8],
    ['both together', [plan(['decode', 1], ['prefill', 100])], 18],
    ['the slowest rank alone', [plan(['decode', 1]), plan(['prefill', 200]), plan()], 20],
  ])('takes for %s', (_, plans, ms) => {
    expect(iterationMs(MODEL, plans)).toBeCloseTo(ms);
    expect(iterationMs({ ...MODEL, speedUp: 10 }, plans)).toBeCloseTo(ms / 10);
    expect(iterationMs({ ...MODEL, speedUp: Number.POSITIVE_INFINITY }, plans)).toBe(0);
  });

  it('takes for a transfer what its bytes need', () => {
    expect(transferMs(MODEL, 5_000)).toBeCloseTo(5);
    expect(transferMs({ ...MODEL, speedUp: Number.POSITIVE_INFINITY }, 5_000)).toBe(0);
  });
});

describe('Pacer', () => {
  it('takes as long for many durations as they are together, though each wakes late', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.double({ min: 0, max: 9, noNaN: true }), fc.nat(50))), (durations) => {
        const pacer = new Pacer();
        pacer.begin(1000);
        let now = 1000;
        let total = 0;
        for (const [duration, late] of durations) {
          const end = pacer.after(now, duration);
          total += duration;
          expect(end).toBeCloseTo(1000 + total);
          now = end + late;
        }
      }),
    ));

  it('does not make up for a long stall, nor for idle time', () => {
    const pacer = new Pacer();
    pacer.begin(0);
    expect(pacer.after(5_000, 10)).toBe(4_910);
    pacer.begin(9_000);
    expect(pacer.after(9_000, 10)).toBe(9_010);
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { VirtualTime } from './virtual-time.js';

/** Owns: the order in which things happen. */

describe('VirtualTime', () => {
  it('lets events happen by time, and those of one instant as they were planned', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (times) => {
        const time = new VirtualTime();
        const happened: [at: number, index: number][] = [];
        times.forEach((at, index) => {
          time.at(at, () => {
            expect(time.now).toBe(at);
            happened.push([at, index]);
          });
        });
        time.run();
        expect(happened).toEqual(times.map((at, index) => [at, index]).sort(([a = 0], [b = 0]) => a - b));
      }),
    );
  });

  it('takes events in that are planned meanwhile, and those for the past at once', () => {
    const time = new VirtualTime();
    const seen: string[] = [];
    time.at(5, () => {
      time.at(1, () => seen.push(`late at ${String(time.now)}`));
      time.at(6, () => seen.push(`next at ${String(time.now)}`));
    });
    time.at(5.5, () => seen.push('planned before'));
    time.run();
    expect(seen).toEqual(['late at 5', 'planned before', 'next at 6']);
  });

  it('settles once when an instant is over, and again after what that made happen', () => {
    const time = new VirtualTime();
    const seen: string[] = [];
    const settler = {
      settle: (): void => {
        seen.push(`settled at ${String(time.now)}`);
        if (seen.length === 3) time.at(time.now, () => seen.push('one more'));
      },
    };
    for (const name of ['first', 'second'])
      time.at(1, () => {
        seen.push(name);
        time.settleSoon(settler);
      });
    time.at(2, () => seen.push('later'));
    time.run();
    expect(seen).toEqual(['first', 'second', 'settled at 1', 'one more', 'later']);
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { Admission } from './admission.js';

const never = new AbortController().signal;

describe('Admission', () => {
  it('turns away what finds the line full', async () => {
    const admission = new Admission(1, 1);
    await admission.enter(never);
    void admission.enter(never);
    await expect(admission.enter(never)).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('serves in the order of arrival', async () => {
    const admission = new Admission(1, 2);
    const first = await admission.enter(never);
    const order: string[] = [];
    const second = admission.enter(never).then((place) => (order.push('second'), place));
    const third = admission.enter(never).then((place) => (order.push('third'), place));
    first.leave();
    (await second).leave();
    (await third).leave();
    expect(order).toEqual(['second', 'third']);
    expect(admission.inFlight).toBe(0);
  });

  it('gives up a place once, however often it is left', async () => {
    const admission = new Admission(2, 0);
    const place = await admission.enter(never);
    await admission.enter(never);
    place.leave();
    place.leave();
    expect(admission.inFlight).toBe(1);
  });

  it('lets go of those who leave the line', async () => {
    const admission = new Admission(1, 5);
    const first = await admission.enter(never);
    const gone = new AbortController();
    const waiting = admission.enter(gone.signal);
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    expect(admission.queued).toBe(0);
    first.leave();
    expect(admission.inFlight).toBe(0);
  });

  it('never exceeds its bounds and ends empty, whatever comes and goes', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 4 }),
        fc.array(fc.constantFrom('enter', 'leave', 'abort'), { maxLength: 60 }),
        async (maxConcurrent, maxQueued, steps) => {
          const admission = new Admission(maxConcurrent, maxQueued);
          const controllers: AbortController[] = [];
          const entered: { leave(): void }[] = [];
          for (const step of steps) {
            if (step === 'enter') {
              const controller = new AbortController();
              controllers.push(controller);
              admission.enter(controller.signal).then(
                (place) => entered.push(place),
                () => undefined,
              );
            } else if (step === 'leave') entered.shift()?.leave();
            else controllers.pop()?.abort(new Error('gone'));
            await Promise.resolve();
            await Promise.resolve();
            expect(admission.inFlight).toBeLessThanOrEqual(maxConcurrent);
            expect(admission.queued).toBeLessThanOrEqual(maxQueued);
          }
          for (const controller of controllers) controller.abort(new Error('gone'));
          while (entered.length > 0) {
            entered.shift()?.leave();
            await new Promise((resolve) => setImmediate(resolve));
          }
          expect(admission.inFlight).toBe(0);
          expect(admission.queued).toBe(0);
        },
      ),
    ));
});

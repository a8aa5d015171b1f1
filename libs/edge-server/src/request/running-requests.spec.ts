import { describe, expect, it } from '@jest/globals';

import { RunningRequests } from './running-requests.js';

// Owns: when all requests have ended, and that ending them reaches those that run and those that come.

describe('the requests that run', () => {
  it('are idle when the last one has left, and at once when there is none', async () => {
    const running = new RunningRequests();
    await running.idle();
    const leave = [running.enter(() => undefined), running.enter(() => undefined)];
    let idle = false;
    const told = running.idle().then(() => (idle = true));
    leave[0]?.();
    await Promise.resolve();
    expect(idle).toBe(false);
    leave[1]?.();
    await told;
    expect(idle).toBe(true);
  });

  it('are ended together, and whoever comes later too, but not those that have left', () => {
    const running = new RunningRequests();
    const reason = new Error('over');
    const ended: [string, Error][] = [];
    const enter = (name: string): (() => void) => running.enter((why) => ended.push([name, why]));
    enter('left')();
    enter('runs');
    running.abortAll(reason);
    enter('late');
    expect(ended).toEqual([
      ['runs', reason],
      ['late', reason],
    ]);
  });
});

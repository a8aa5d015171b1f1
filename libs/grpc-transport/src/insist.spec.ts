import { describe, expect, it } from '@jest/globals';
import { RoostError } from '@roost/protocol';

import { insist } from './insist.js';

// Owns: how often a call is made that nobody waits for.

const LOST = new RoostError('worker_unavailable', 'lost');

/** Insists on a call that fails as told, in turn, and then gets through. */
async function insisted(...failures: Error[]): Promise<{ heard: boolean; calls: number; pauses: number[] }> {
  let calls = 0;
  const pauses: number[] = [];
  const call = (): Promise<void> => {
    const failure = failures[calls];
    calls += 1;
    return failure === undefined ? Promise.resolve() : Promise.reject(failure);
  };
  const heard = await insist(call, (ms) => Promise.resolve(pauses.push(ms)));
  return { heard, calls, pauses };
}

describe('insist', () => {
  it('makes a call once that gets through', async () => {
    expect(await insisted()).toEqual({ heard: true, calls: 1, pauses: [] });
  });

  it('makes a call again that was lost, later each time', async () => {
    const { heard, calls, pauses } = await insisted(LOST, new Error('aborted'));
    expect({ heard, calls }).toEqual({ heard: true, calls: 3 });
    expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
  });

  it('gives up in the end', async () => {
    expect(await insisted(...Array.from({ length: 9 }, () => LOST))).toMatchObject({ heard: false, calls: 4 });
  });

  it('takes no for an answer', async () => {
    expect(await insisted(new RoostError('invalid_handoff_auth', 'no'))).toMatchObject({ heard: false, calls: 1 });
  });
});

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { Fleet } from './fleet.js';

// Owns: how long a fleet is waited for of which no instance serves.

const POLL_MS = 500;

describe('servesSoon', () => {
  let fleet: Fleet;
  /** Whether the one instance of the fleet serves, as the next look at it finds. */
  let found = false;
  const { signal } = new AbortController();

  beforeEach(async () => {
    jest.useFakeTimers();
    fleet = new Fleet('context', ['127.0.0.1:1'], { pollIntervalMs: POLL_MS, probeTimeoutMs: 100 });
    const [instance] = fleet.instances;
    let serving = false;
    found = false;
    Object.defineProperty(instance, 'serving', { get: () => serving });
    Object.assign(instance ?? {}, {
      probe: () => {
        serving = found;
        return Promise.resolve(null);
      },
    });
    await fleet.start();
  });
  afterEach(() => {
    fleet.stop();
    jest.useRealTimers();
  });

  /** What is known of an answer after so many milliseconds: undefined where there is none yet. */
  const after = async (milliseconds: number, answer: Promise<boolean>): Promise<boolean | undefined> => {
    let known: boolean | undefined;
    void answer.then((value) => (known = value));
    await jest.advanceTimersByTimeAsync(milliseconds);
    return known;
  };

  it('is known as soon as a look finds an instance that serves', async () => {
    const answer = fleet.servesSoon(signal);
    expect(await after(POLL_MS - 1, answer)).toBeUndefined();
    found = true;
    expect(await after(1, answer)).toBe(true);
    expect(await fleet.servesSoon(signal)).toBe(true);
  });

  it('is given up after two pauses between looks', async () => {
    const answer = fleet.servesSoon(signal);
    expect(await after(2 * POLL_MS - 1, answer)).toBeUndefined();
    expect(await after(1, answer)).toBe(false);
  });

  it('is given up at once when whoever waits goes away, or the fleet is not looked at any more', async () => {
    const gone = new AbortController();
    const answers = [fleet.servesSoon(gone.signal), fleet.servesSoon(signal)] as const;
    gone.abort();
    expect(await answers[0]).toBe(false);
    expect(await fleet.servesSoon(gone.signal)).toBe(false);
    fleet.stop();
    expect(await answers[1]).toBe(false);
  });
});

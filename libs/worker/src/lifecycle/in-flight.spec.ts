import { describe, expect, it } from '@jest/globals';

import { InFlight } from './in-flight.js';

const never = new AbortController().signal;

async function* forever(signal: AbortSignal): AsyncGenerator<number> {
  for (let value = 0; !signal.aborted; value += 1) yield await Promise.resolve(value);
  throw signal.reason as Error;
}

describe('InFlight', () => {
  it('drains when the last leg has ended, and takes no new one meanwhile', async () => {
    const inFlight = new InFlight();
    const leg = Promise.withResolvers<string>();
    const running = inFlight.run(never, () => leg.promise);
    const drained = inFlight.drain();
    await expect(inFlight.run(never, () => Promise.resolve())).rejects.toMatchObject({ code: 'worker_unavailable' });
    leg.resolve('done');
    await expect(running).resolves.toBe('done');
    await drained;
    expect(inFlight.count).toBe(0);
  });

  it('counts a stream for as long as it is read, however that ends', async () => {
    const inFlight = new InFlight();
    const stream = inFlight.runStream(never, forever);
    await stream.next();
    expect(inFlight.count).toBe(1);
    await stream.return();
    expect(inFlight.count).toBe(0);
  });

  it('ends what still runs', async () => {
    const inFlight = new InFlight();
    const stream = inFlight.runStream(never, forever);
    await stream.next();
    inFlight.abort();
    await expect(stream.next()).rejects.toMatchObject({ code: 'worker_unavailable' });
    expect(inFlight.count).toBe(0);
  });
});

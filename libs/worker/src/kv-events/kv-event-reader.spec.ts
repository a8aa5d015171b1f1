import { describe, expect, it } from '@jest/globals';
import type { KvCacheEvent } from '@roost/engine';
import fc from 'fast-check';

import { KvEventReader } from './kv-event-reader.js';

// Owns: that a reader's picture equals the rank's cache whenever it has read all, and that what is unread stays bounded.

const RANKS = 2;

/** The cache as it is, and the picture that a reader makes of what it is told. */
class Scene {
  readonly cache = Array.from({ length: RANKS }, () => new Set<bigint>());
  readonly picture = Array.from({ length: RANKS }, () => new Set<bigint>());
  readonly sequences = Array.from({ length: RANKS }, () => 0n);
  snapshots = 0;
  /** Whether every message came with the next number of its rank. */
  numbered = true;
  readonly reader: KvEventReader;

  constructor(maxUnread: number) {
    this.reader = new KvEventReader(RANKS, maxUnread, (rank) => [...(this.cache[rank] ?? [])]);
  }

  change(event: KvCacheEvent): void {
    const blocks = this.cache[event.rank];
    if (event.type === 'stored') blocks?.add(event.hash);
    else blocks?.delete(event.hash);
    this.reader.note(event);
  }

  read(): void {
    for (const { rank, sequence, snapshot, stored, removed } of this.reader.take()) {
      const expected = (this.sequences[rank] ?? 0n) + 1n;
      this.numbered &&= sequence === expected;
      this.sequences[rank] = sequence;
      const blocks = this.picture[rank] ?? new Set();
      if (snapshot) {
        this.snapshots += 1;
        blocks.clear();
      }
      for (const hash of stored) blocks.add(hash);
      for (const hash of removed) blocks.delete(hash);
    }
  }
}

const change = fc.record({
  rank: fc.nat({ max: RANKS - 1 }),
  type: fc.constantFrom('stored' as const, 'removed' as const),
  hash: fc.bigInt({ min: 0n, max: 12n }),
});

describe('KvEventReader', () => {
  it('gives a true picture whenever all is read, whatever happened and whenever it was read', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.oneof(change, fc.constant('read' as const))),
        (max, steps) => {
          const scene = new Scene(max);
          for (const step of steps) {
            if (step === 'read') scene.read();
            else scene.change(step);
          }
          scene.read();
          expect(scene.picture).toEqual(scene.cache);
          expect(scene.numbered).toBe(true);
        },
      ),
    ));

  it('begins with a snapshot of every rank', () => {
    const scene = new Scene(10);
    scene.change({ rank: 1, type: 'stored', hash: 7n });
    scene.read();
    expect([scene.snapshots, scene.picture[1]]).toEqual([RANKS, new Set([7n])]);
  });

  it('tells the whole anew to a reader that has fallen behind', () => {
    const scene = new Scene(3);
    scene.read();
    for (let hash = 0n; hash < 100n; hash += 1n) scene.change({ rank: 0, type: 'stored', hash });
    scene.read();
    expect([scene.snapshots, scene.picture[0]?.size]).toEqual([RANKS + 1, 100]);
  });

  it('wakes whoever waits for the next message, and ends with its signal', async () => {
    const scene = new Scene(10);
    const end = new AbortController();
    const messages = scene.reader.messages(end.signal);
    for (let rank = 0; rank < RANKS; rank += 1) await messages.next();
    const next = messages.next();
    scene.change({ rank: 0, type: 'stored', hash: 1n });
    scene.change({ rank: 0, type: 'stored', hash: 2n });
    expect((await next).value).toMatchObject({ rank: 0, sequence: 2n, stored: [1n, 2n] });
    const last = messages.next();
    end.abort();
    expect((await last).done).toBe(true);
  });
});

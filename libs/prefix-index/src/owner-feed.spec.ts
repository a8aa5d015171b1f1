// A rank's reports over a channel that loses, repeats and reorders: in step means right, and never behind what was heard.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { type FeedMessage, OwnerFeed } from './owner-feed.js';
import { PrefixIndex } from './prefix-index.js';

const delta = (sequence: number, stored: bigint[] = [], removed: bigint[] = [], incarnation = 'i'): FeedMessage => ({
  type: 'delta',
  incarnation,
  sequence: BigInt(sequence),
  stored,
  removed,
});
const snapshot = (sequence: number, hashes: bigint[] = [], incarnation = 'i'): FeedMessage => ({
  type: 'snapshot',
  incarnation,
  sequence: BigInt(sequence),
  hashes,
});
const steps = (...messages: FeedMessage[]): string[] => {
  const feed = new OwnerFeed();
  return messages.map((message) => feed.take(message).step);
};

describe('OwnerFeed', () => {
  it('begins with a snapshot and follows changes without a gap', () => {
    expect(steps(snapshot(1), delta(2), delta(3))).toEqual(['replace', 'apply', 'apply']);
  });

  it('passes on what a message says', () => {
    const feed = new OwnerFeed();
    expect(feed.take(snapshot(1, [7n]))).toEqual({ step: 'replace', hashes: [7n] });
    expect(feed.take(delta(2, [8n], [7n]))).toEqual({ step: 'apply', change: { stored: [8n], removed: [7n] } });
  });

  it('does not believe changes without a snapshot', () => {
    expect(steps(delta(1), delta(2), snapshot(3), delta(4))).toEqual(['resync', 'resync', 'replace', 'apply']);
  });

  it('asks for a snapshot after a gap, until one comes that is no older than the gap', () => {
    expect(steps(snapshot(1), delta(3), delta(4), snapshot(2), snapshot(5), delta(6))).toEqual([
      'replace',
      'resync',
      'resync',
      'resync',
      'replace',
      'apply',
    ]);
  });

  it('ignores what it has heard already', () => {
    expect(steps(snapshot(1), delta(2), delta(2), delta(1), snapshot(1), snapshot(2), delta(3))).toEqual([
      'replace',
      'apply',
      'ignore',
      'ignore',
      'ignore',
      'ignore',
      'apply',
    ]);
  });

  it('takes a whole anew in the middle, as a reader that is too slow gets it', () => {
    expect(steps(snapshot(1), delta(2), snapshot(3), delta(4))).toEqual(['replace', 'apply', 'replace', 'apply']);
  });

  it('believes nothing more once lives are mixed, until the channel is opened anew', () => {
    const feed = new OwnerFeed();
    const taken = [snapshot(1, [], 'old'), delta(2, [], [], 'next'), snapshot(3, [], 'old'), snapshot(4, [], 'next')];
    expect(taken.map((message) => feed.take(message).step)).toEqual(['replace', 'resync', 'resync', 'resync']);
    feed.reopen();
    expect(feed.take(snapshot(1, [], 'next')).step).toBe('replace');
  });

  it('lets a new channel number its messages anew, but only from a snapshot on', () => {
    const feed = new OwnerFeed();
    feed.take(snapshot(7));
    feed.reopen();
    expect(feed.inStep).toBe(false);
    expect([delta(8), snapshot(8), delta(9)].map((message) => feed.take(message).step)).toEqual([
      'resync',
      'replace',
      'apply',
    ]);
    feed.reopen();
    expect([snapshot(1), delta(2)].map((message) => feed.take(message).step)).toEqual(['replace', 'apply']);
  });

  it('is never in step with a wrong or an outdated index, whatever the channel does', () => {
    const hash = fc.bigInt({ min: 0n, max: 5n });
    const happening = fc.oneof(
      { weight: 6, arbitrary: fc.record({ type: fc.constantFrom('store', 'remove'), hash, pick: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('whole', 'restart'), hash, pick: fc.nat() }) },
      { weight: 6, arbitrary: fc.record({ type: fc.constant('deliver'), hash, pick: fc.nat({ max: 5 }) }) },
      { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('repeat', 'lose'), hash, pick: fc.nat({ max: 5 }) }) },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('reopen'), hash, pick: fc.nat() }) },
    );
    let timesInStep = 0;
    let changesApplied = 0;
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 80 }), (happenings) => {
        const rank = new Rank();
        const feed = new OwnerFeed();
        const index = new PrefixIndex({ maxBytes: 2 ** 16 });
        let latest: Report | null = null;
        for (const { type, hash: changed, pick } of happenings) {
          const report = rank.happen(type, changed, pick);
          if (type === 'reopen') {
            feed.reopen();
            latest = null;
          }
          if (report === undefined) continue;
          if (latest === null || report.number > latest.number) latest = report;
          if (follow(feed, index, report.message) === 'apply') changesApplied++;
          if (!feed.inStep) continue;
          timesInStep++;
          const held = [0n, 1n, 2n, 3n, 4n, 5n].filter((each) => index.match([each]).perServer.has('s'));
          expect(new Set(held)).toEqual(latest.holds);
        }
      }),
      { numRuns: 500 },
    );
    expect(timesInStep).toBeGreaterThan(500);
    expect(changesApplied).toBeGreaterThan(100);
  });
});

interface Report {
  /** In the order of sending, over all lives. */
  readonly number: number;
  readonly message: FeedMessage;
  /** What the rank holds when it sends the message. */
  readonly holds: ReadonlySet<bigint>;
}

/** A rank that reports to one reader, and the channel between them. */
class Rank {
  #life = 0;
  #sequence = 1;
  #numbered = 0;
  #holds = new Set<bigint>();
  #channel: Report[] = [];

  constructor() {
    this.#send([], []);
  }

  /** Lets something happen; what it brings the reader, if anything. */
  happen(type: string, hash: bigint, pick: number): Report | undefined {
    const at = pick % Math.max(this.#channel.length, 1);
    if (type === 'deliver') return this.#channel.splice(pick < 4 ? 0 : at, 1)[0];
    if (type === 'repeat') return this.#channel[at];
    if (type === 'lose') this.#channel.splice(at, 1);
    else this.#change(type, hash);
    return undefined;
  }

  #change(type: string, hash: bigint): void {
    if (type === 'store') {
      this.#holds.add(hash);
      this.#send([hash], []);
    } else if (type === 'remove') {
      this.#holds.delete(hash);
      this.#send([], [hash]);
    } else if (type === 'restart') {
      this.#life++;
      this.#holds.clear();
      this.#sequence = 1;
      this.#send([], []);
    } else {
      if (type === 'reopen') {
        this.#channel = [];
        this.#sequence = 1;
      }
      this.#send([...this.#holds], null);
    }
  }

  /** A snapshot when it is the first message of a channel or life, or when there is nothing removed to tell of. */
  #send(stored: bigint[], removed: bigint[] | null): void {
    const incarnation = String(this.#life);
    const message =
      removed === null || this.#sequence === 1
        ? snapshot(this.#sequence, [...this.#holds], incarnation)
        : delta(this.#sequence, stored, removed, incarnation);
    this.#channel.push({ number: this.#numbered++, message, holds: new Set(this.#holds) });
    this.#sequence++;
  }
}

function follow(feed: OwnerFeed, index: PrefixIndex, message: FeedMessage): string {
  const decided = feed.take(message);
  if (decided.step === 'apply') index.apply('s', 0, decided.change);
  else if (decided.step === 'replace') index.replace('s', 0, decided.hashes);
  else if (decided.step === 'resync') index.drop('s', 0);
  return decided.step;
}

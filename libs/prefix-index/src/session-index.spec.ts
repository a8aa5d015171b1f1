// Sessions by content against a scan over all of them, forgotten as a table of the least recently used forgets; and what
// the scan does not show: nothing is left behind, and memory is bounded.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { SessionIndex } from './session-index.js';

interface Home {
  readonly name: string;
}

const HOMES: readonly Home[] = ['a', 'b', 'c'].map((name) => ({ name }));
const [A = { name: '' }, B = { name: '' }] = HOMES;
const any = (): boolean => true;

/** Chained hashes of a prompt: each tells all that came before it. */
const chain = (ids: readonly number[]): bigint[] => ids.map((_, at) => BigInt(`0x1${ids.slice(0, at + 1).join('')}`));

const make = (maxBytes = 2 ** 20): SessionIndex<Home> => new SessionIndex({ maxBytes });

interface Known {
  readonly key: string;
  readonly home: Home;
  readonly prompts: readonly (readonly bigint[])[];
}

const shared = (prompt: readonly bigint[], own: readonly bigint[] = []): number => {
  const end = prompt.findIndex((hash, at) => own[at] !== hash);
  return end === -1 ? prompt.length : end;
};

const ids = fc.array(fc.nat({ max: 1 }), { maxLength: 6 });
const step = fc.record({ key: fc.nat({ max: 7 }), ids, wanted: ids });

/** An index, and beside it all that it was told of, of the sessions that are not forgotten. */
class Pair {
  readonly index = make();
  #known: Known[] = [];

  /** Records a prompt; of more than `most` sessions forgets the one recorded longest ago. */
  record(number: number, own: readonly bigint[], most: number): void {
    const key = String(number);
    const home = HOMES[number % HOMES.length] ?? A;
    const prompts = this.#known.find((session) => session.key === key)?.prompts ?? [];
    this.index.record(key, home, own);
    this.#known = [...this.#known.filter((session) => session.key !== key), { key, home, prompts: [...prompts, own] }];
    for (const { key: oldest } of this.#known.splice(0, this.#known.length - most)) this.index.forget(oldest);
  }

  /** How many blocks the index finds, and between which bounds that should be. */
  match(prompt: readonly bigint[], usable: readonly Home[]): { found: number; least: number; most: number } {
    const candidates = this.#known.filter(({ home }) => usable.includes(home));
    const found = this.index.match(prompt, (home) => usable.includes(home));
    const latest = candidates.map(({ prompts }) => shared(prompt, prompts.at(-1)));
    const same = candidates.find(({ key, home }) => key === found?.session.key && home === found.session.home);
    const all = same?.prompts.map((own) => shared(prompt, own)) ?? [];
    return { found: found?.blocks ?? 0, least: Math.max(0, ...latest), most: Math.max(0, ...all) };
  }
}

describe('SessionIndex', () => {
  it('finds at least the depth of the latest prompts, on a session that has had it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.array(step, { maxLength: 40 }),
        fc.subarray([...HOMES]),
        (most, steps, usable) => {
          const pair = new Pair();
          for (const { key, ids: own, wanted } of steps) {
            pair.record(key, chain(own), most);
            const { found, least, most: atMost } = pair.match(chain(wanted), usable);
            expect(found).toBeGreaterThanOrEqual(least);
            expect(found).toBeLessThanOrEqual(atMost);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('leaves nothing of sessions that were forgotten', () => {
    const index = make();
    const { bytes } = index;
    for (const [at, home] of HOMES.entries())
      for (const own of [[1], [1, 2], [1, 2, 3], [4]]) index.record(`${String(at)} ${own.join()}`, home, chain(own));
    expect(index.blocks).toBe(4);
    for (const [at] of HOMES.entries())
      for (const own of [[1], [1, 2], [1, 2, 3], [4]]) index.forget(`${String(at)} ${own.join()}`);
    expect([index.blocks, index.size]).toEqual([0, 0]);
    index.record('x', A, chain([7]));
    index.forget('x');
    // The room of one set without members is kept until a block needs it.
    expect(index.bytes - bytes).toBeLessThan(1000);
  });

  it('adds to what a session has, and takes it all along when it is forgotten', () => {
    const index = make();
    index.record('s', A, chain([1, 2, 3]));
    index.record('s', A, chain([1, 2, 4]));
    expect(index.match(chain([1, 2, 3]), any)).toMatchObject({ session: { key: 's' }, blocks: 3 });
    index.forget('s');
    index.forget('s');
    expect(index.match(chain([1, 2, 3]), any)).toBeNull();
  });

  it('knows a session in its latest home only', () => {
    const index = make();
    index.record('s', A, chain([1, 2]));
    index.record('s', B, chain([1]));
    expect(index.match(chain([1, 2]), any)).toMatchObject({ session: { key: 's', home: B }, blocks: 1 });
    expect(index.match(chain([1, 2]), (home) => home === A)).toBeNull();
  });

  it('matches a prompt of no block with no session', () => {
    const index = make();
    index.record('s', A, []);
    expect([index.match([], any), index.match(chain([1]), any), index.size]).toEqual([null, null, 0]);
  });

  it('keeps within its memory, the latest sessions, whatever comes', () => {
    const index = make(2 ** 16);
    const own = (at: number): bigint[] => [1n, 2n, ...Array.from({ length: at % 7 }, (_, n) => BigInt(1000 * at + n))];
    for (let at = 1; at <= 2000; at++) {
      index.record(String(at), HOMES[at % HOMES.length] ?? A, own(at));
      expect(index.bytes).toBeLessThanOrEqual(2 ** 16);
    }
    expect(index.size).toBeLessThan(100);
    expect(index.match(own(2000), any)).toMatchObject({ session: { key: '2000' } });
    expect(index.match(own(6).slice(2), any)).toBeNull();
  });
});

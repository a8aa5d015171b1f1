// The index against a model that keeps a set of holders for each block, after any changes, drops and snapshots.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { type Prediction, PrefixIndex, type PrefixIndexStats } from './prefix-index.js';

const SERVERS = ['a', 'b', 'c'] as const;
const RANKS = [0, 1] as const;

/** Blocks by hash, least recently used first, each with the names of its holders. */
class Model {
  readonly blocks = new Map<bigint, Set<string>>();
  evictions = 0;

  constructor(private readonly limit = Infinity) {}

  store(holder: string, hashes: readonly bigint[]): void {
    for (const hash of hashes.toReversed()) {
      const holders = this.blocks.get(hash) ?? new Set();
      this.blocks.delete(hash);
      if (this.blocks.size === this.limit) {
        this.blocks.delete(this.blocks.keys().next().value ?? 0n);
        this.evictions++;
      }
      this.blocks.set(hash, holders.add(holder));
    }
  }

  remove(holder: string, hashes: readonly bigint[]): void {
    for (const hash of hashes) {
      const holders = this.blocks.get(hash);
      holders?.delete(holder);
      if (holders?.size === 0) this.blocks.delete(hash);
    }
  }

  drop(isDropped: (holder: string) => boolean): void {
    for (const [hash, holders] of this.blocks) {
      for (const holder of holders) if (isDropped(holder)) holders.delete(holder);
      if (holders.size === 0) this.blocks.delete(hash);
    }
  }

  depth(holder: string, hashes: readonly bigint[]): number {
    const end = hashes.findIndex((hash) => this.blocks.get(hash)?.has(holder) !== true);
    return end === -1 ? hashes.length : end;
  }

  match(hashes: readonly bigint[]): { perServer: [string, number][]; perRank: [string, number][] } {
    const holders = new Set([...this.blocks.values()].flatMap((names) => [...names]));
    const depths = [...holders].map((name): [string, number] => [name, this.depth(name, hashes)]);
    const found = depths.filter(([, depth]) => depth > 0);
    const deepest = Math.max(0, ...found.map(([, depth]) => depth));
    for (const hash of hashes.slice(0, deepest).reverse()) {
      const names = this.blocks.get(hash);
      this.blocks.delete(hash);
      if (names !== undefined) this.blocks.set(hash, names);
    }
    const perServer = new Map<string, number>();
    for (const [name, depth] of found) {
      const server = name.charAt(0);
      perServer.set(server, Math.max(depth, perServer.get(server) ?? 0));
    }
    return {
      perServer: [...perServer].sort(),
      perRank: found.filter(([name]) => /^\w\d$/.test(name)).sort(),
    };
  }
}

/** Index and model side by side. */
class Pair {
  readonly index: PrefixIndex;
  readonly model: Model;
  readonly #predictions: { readonly name: string; readonly prediction: Prediction }[] = [];
  #predicted = 0;

  constructor(maxBytes: number, limit?: number) {
    this.index = new PrefixIndex({ maxBytes });
    this.model = new Model(limit);
  }

  do(operation: Operation): void {
    const { kind, server, rank, hashes, others } = operation;
    const holder = `${server}${String(rank)}`;
    if (kind === 'apply') {
      this.index.apply(server, rank, { stored: hashes, removed: others });
      this.model.store(holder, hashes);
      this.model.remove(holder, others);
      this.model.remove(`${server}:routed`, others);
    } else if (kind === 'replace') {
      this.index.replace(server, rank, BigUint64Array.from(hashes));
      this.model.drop((name) => name === holder || name === `${server}:routed`);
      this.model.store(holder, hashes);
    } else if (kind === 'routed') {
      this.index.trackRouted(server, hashes);
      this.model.store(`${server}:routed`, hashes);
    } else if (kind === 'predict') this.#predict(server, hashes);
    else if (kind === 'end') this.#end();
    else if (kind === 'drop rank') {
      this.index.drop(server, rank);
      this.model.drop((name) => name === holder);
    } else {
      this.index.drop(server);
      this.model.drop((name) => name.startsWith(server));
    }
  }

  /** What both say of a prompt, as two equal values if they agree. */
  match(hashes: readonly bigint[]): [unknown, unknown] {
    const match = this.index.match(hashes);
    const perRank = SERVERS.flatMap((server) =>
      [...match.perRank(server)].map(([rank, depth]) => [`${server}${String(rank)}`, depth]),
    );
    return [{ perServer: [...match.perServer].sort(), perRank: perRank.sort() }, this.model.match(hashes)];
  }

  /** Whether the index says that anybody holds the block. */
  holds(hash: bigint): boolean {
    return this.index.match([hash]).perServer.size > 0;
  }

  #predict(server: string, hashes: readonly bigint[]): void {
    const name = `${server}:predicted ${String(this.#predicted++)}`;
    this.#predictions.push({ name, prediction: this.index.predict(server, hashes) });
    this.model.store(name, hashes);
  }

  #end(): void {
    const oldest = this.#predictions.shift();
    oldest?.prediction.end();
    oldest?.prediction.end();
    this.model.drop((name) => name === oldest?.name);
  }
}

interface Operation {
  readonly kind: 'apply' | 'replace' | 'routed' | 'predict' | 'end' | 'drop rank' | 'drop server';
  readonly server: string;
  readonly rank: number;
  readonly hashes: readonly bigint[];
  readonly others: readonly bigint[];
}

const operationOn = (hashes: fc.Arbitrary<bigint[]>): fc.Arbitrary<Operation> =>
  fc.record({
    kind: fc.constantFrom('apply', 'apply', 'apply', 'replace', 'routed', 'predict', 'end', 'drop rank', 'drop server'),
    server: fc.constantFrom(...SERVERS),
    rank: fc.constantFrom(...RANKS),
    hashes,
    others: hashes,
  });

const mixed = (at: number): bigint => BigInt.asUintN(64, BigInt(at + 1) * 0x9e3779b97f4a7c15n);

describe('PrefixIndex', () => {
  it('says what a scan over all holders says, after any changes', () => {
    // Hashes that collide in their low words, in their high words and in tags, and spread ones.
    const universe = [...Array(6).keys()].flatMap((at) => [
      BigInt(at),
      BigInt(at) << 32n,
      BigInt(at) << 56n,
      mixed(at),
    ]);
    const hashes = fc.array(fc.constantFrom(...universe), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(fc.tuple(operationOn(hashes), hashes), { maxLength: 60 }), (steps) => {
        const pair = new Pair(2 ** 20);
        for (const [operation, prompt] of steps) {
          pair.do(operation);
          const [said, true_] = pair.match(prompt);
          expect(said).toEqual(true_);
        }
        const { blocks, evictions } = pair.index.stats();
        expect([blocks, evictions]).toEqual([pair.model.blocks.size, 0]);
      }),
      { numRuns: 300 },
    );
  });

  it('says so of chains that share their beginnings and grow', () => {
    const chain = (branch: number, length: number): bigint[] =>
      Array.from({ length }, (_, depth) => mixed(depth * 4 + (depth < 40 ? 0 : branch)));
    const chains = fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 120 })).map(([branch, length]) => chain(branch, length));
    fc.assert(
      fc.property(fc.array(fc.tuple(operationOn(chains), chains), { maxLength: 30 }), (steps) => {
        const pair = new Pair(2 ** 20);
        for (const [operation, prompt] of steps) {
          pair.do(operation);
          const [said, true_] = pair.match(prompt);
          expect(said).toEqual(true_);
        }
      }),
    );
  });

  it('forgets what was used longest ago when it is full, and nothing else', () => {
    const maxBytes = 64 * 1024;
    const limit = capacity(maxBytes);
    const run = fc
      .tuple(fc.nat({ max: 4 * limit }), fc.nat({ max: limit / 2 }))
      .map(([from, length]) => Array.from({ length }, (_, at) => mixed(from + at)));
    fc.assert(
      fc.property(fc.array(fc.tuple(operationOn(run), run), { maxLength: 25 }), (steps) => {
        const pair = new Pair(maxBytes, limit);
        for (const [operation, prompt] of steps) {
          const { kind, server } = operation;
          // Few owners, so that their sets do not fill their share of the memory.
          if (kind !== 'predict') pair.do({ ...operation, server: server === 'c' ? 'a' : server, rank: 0 });
          const [said, true_] = pair.match(prompt);
          expect(said).toEqual(true_);
        }
        expect(pair.index.stats().evictions).toBe(pair.model.evictions);
        const held = Array.from({ length: 5 * limit }, (_, at) => mixed(at)).filter((hash) => pair.holds(hash));
        expect(held.sort()).toEqual([...pair.model.blocks.keys()].sort());
        expect(pair.index.stats().bytes).toBeLessThanOrEqual(maxBytes);
      }),
      { numRuns: 60 },
    );
  });

  it('never says more than is true, and never takes more memory, whatever sets of owners there are', () => {
    const maxBytes = 64 * 1024;
    const run = fc
      .tuple(fc.nat({ max: 600 }), fc.nat({ max: 200 }))
      .map(([from, length]) => Array.from({ length }, (_, at) => mixed(from + at)));
    const wide = fc.record({ server: fc.constantFrom(...SERVERS), rank: fc.nat({ max: 15 }) });
    fc.assert(
      fc.property(fc.array(fc.tuple(operationOn(run), wide, run), { minLength: 40, maxLength: 120 }), (steps) => {
        const pair = new Pair(maxBytes);
        let most = 0;
        for (const [operation, owner, prompt] of steps) {
          pair.do({ ...operation, ...owner });
          const said = pair.index.match(prompt).perServer;
          const known = new Map(pair.model.match(prompt).perServer);
          for (const [server, depth] of said) expect(depth).toBeLessThanOrEqual(known.get(server) ?? 0);
          most = Math.max(most, pair.index.stats().bytes);
        }
        expect(most).toBeLessThanOrEqual(maxBytes);
      }),
      { numRuns: 30 },
    );
  });
});

/** The most blocks that an index of this size holds, found by filling it. */
function capacity(maxBytes: number): number {
  const index = new PrefixIndex({ maxBytes });
  let stats: PrefixIndexStats = index.stats();
  for (let at = 0; stats.evictions === 0; at++) {
    index.apply('a', 0, { stored: [mixed(at)], removed: [] });
    stats = index.stats();
  }
  return stats.blocks;
}

// The router against the formula of reference 2.3, computed over plain sets, after any requests, reports and changes.
import { describe, expect, it } from '@jest/globals';
import { PrefixIndex } from '@roost/prefix-index';
import fc from 'fast-check';

import { type Placement } from '../ports/fleet-router.js';

import { contentPin } from './content-pin.js';
import { KvCacheAwareRouter } from './kv-cache-aware-router.js';

const SERVERS = ['a', 'b', 'c', 'd'];

interface Options {
  readonly maxBatchSize: number;
  readonly loadWeight: number;
  readonly loadCap: number;
  readonly trackRoutedBlocks: boolean;
  readonly predictInFlight: boolean;
}

/** One life of a server. */
class ModelServer {
  active = 0;
  reported = new Set<bigint>();
  routed = new Set<bigint>();
  readonly predicted = new Map<object, ReadonlySet<bigint>>();

  constructor(readonly name: string) {}

  matching(hashes: readonly bigint[]): number {
    const depths = [this.reported, this.routed, ...this.predicted.values()].map((held) => {
      const end = hashes.findIndex((hash) => !held.has(hash));
      return end === -1 ? hashes.length : end;
    });
    return Math.max(...depths);
  }
}

class Model {
  readonly servers: ModelServer[] = [];
  readonly pins = new Map<string, string>();
  selections = 0;

  constructor(private readonly options: Options) {}

  route(hashes: readonly bigint[], pin: string | null, exclude: readonly string[]): ModelServer | null {
    const allowed = this.servers.filter(({ name }) => !exclude.includes(name));
    if (allowed.length === 0) return null;
    const { maxBatchSize, loadCap, loadWeight } = this.options;
    const free = allowed.filter(({ active }) => active / maxBatchSize < loadCap);
    const candidates = free.length === 0 ? allowed : free;
    const scores = candidates.map((server) => server.matching(hashes) - loadWeight * server.active);
    const best = candidates.filter((_, at) => scores[at] === Math.max(...scores));
    const pinned = candidates.find(({ name }) => pin !== null && this.pins.get(pin) === name);
    const chosen = pinned ?? best[this.selections % best.length];
    this.selections++;
    if (pin !== null && chosen !== undefined) this.pins.set(pin, chosen.name);
    return chosen ?? null;
  }
}

const chains = fc
  .tuple(fc.nat({ max: 2 }), fc.nat({ max: 8 }))
  .map(([branch, length]) => Array.from({ length }, (_, at) => BigInt(at < 3 ? at : 10 * (branch + 1) + at)));
const server = fc.constantFrom(...SERVERS);
const step = fc.record({
  kind: fc.constantFrom('route', 'route', 'route', 'finish', 'finish', 'store', 'remove', 'replace', 'add', 'leave'),
  server,
  hashes: chains,
  pin: fc.option(fc.constantFrom('x', 'y', 'z')),
  exclude: fc.array(server, { maxLength: 2 }),
  which: fc.nat(),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const options: fc.Arbitrary<Options> = fc.record({
  maxBatchSize: fc.integer({ min: 1, max: 4 }),
  loadWeight: fc.constantFrom(0, 0.25, 1, 3),
  loadCap: fc.constantFrom(0, 0.5, 1, Infinity),
  trackRoutedBlocks: fc.boolean(),
  predictInFlight: fc.boolean(),
});

/** Router and model side by side. */
class Pair {
  readonly #index = new PrefixIndex({ maxBytes: 2 ** 18 });
  readonly #router: KvCacheAwareRouter;
  readonly #model: Model;
  readonly #inFlight: { placement: Placement; on: ModelServer; hashes: readonly bigint[] }[] = [];

  constructor(private readonly options: Options) {
    this.#router = new KvCacheAwareRouter([], { ...options, tokensPerBlock: 2 }, this.#index);
    this.#model = new Model(options);
    for (const name of SERVERS.slice(0, 3)) this.#add(name);
  }

  /** Does a step; what router and model say of it, as two values that are equal if they agree. */
  do({ kind, server: name, hashes, pin, exclude, which }: Step): [unknown, unknown] {
    if (kind === 'route') return this.#route(hashes, pin, exclude);
    if (kind === 'finish') this.#finish(which);
    else if (kind === 'add') this.#add(name);
    else if (kind === 'leave') this.#leave(name);
    else this.#report(kind, name, hashes);
    const loads = this.#model.servers.map(({ name: each, active }) => [each, active]);
    return [[...this.#router.loads()], loads];
  }

  #route(hashes: readonly bigint[], pinText: string | null, exclude: readonly string[]): [unknown, unknown] {
    const request = {
      conversationId: null,
      subagentAffinityId: null,
      textChars: 0,
      text: () => '',
      promptTokenIds: null,
      blockHashes: hashes,
      pinText,
    };
    const placement = this.#router.route(request, new Set(exclude));
    const chosen = this.#model.route(hashes, contentPin(request), exclude);
    const matched = chosen?.matching(hashes);
    if (placement !== null && chosen !== null) {
      chosen.active++;
      if (this.options.predictInFlight) chosen.predicted.set(placement, new Set(hashes));
      this.#inFlight.push({ placement, on: chosen, hashes });
    }
    return [
      placement && [placement.server, placement.matchedTokens],
      chosen && [chosen.name, matched === undefined ? null : 2 * matched],
    ];
  }

  #finish(which: number): void {
    const [finished] = this.#inFlight.splice(which % Math.max(this.#inFlight.length, 1), 1);
    if (finished === undefined) return;
    const { placement, on, hashes } = finished;
    this.#router.finish(placement, which % 3 > 0);
    on.active--;
    on.predicted.delete(placement);
    if (which % 3 > 0 && this.options.trackRoutedBlocks) on.routed = on.routed.union(new Set(hashes));
  }

  #add(name: string): void {
    this.#router.addServer(name);
    if (this.#model.servers.every((each) => each.name !== name)) this.#model.servers.push(new ModelServer(name));
  }

  #leave(name: string): void {
    this.#router.removeServer(name);
    const at = this.#model.servers.findIndex((each) => each.name === name);
    if (at >= 0) this.#model.servers.splice(at, 1);
    for (const [pin, home] of this.#model.pins) if (home === name) this.#model.pins.delete(pin);
  }

  #report(kind: string, name: string, hashes: readonly bigint[]): void {
    const reporting = this.#model.servers.find((each) => each.name === name);
    if (reporting === undefined) return;
    const told = new Set(hashes);
    if (kind === 'store') {
      this.#index.apply(name, 0, { stored: hashes, removed: [] });
      reporting.reported = reporting.reported.union(told);
    } else if (kind === 'remove') {
      this.#index.apply(name, 0, { stored: [], removed: hashes });
      reporting.reported = reporting.reported.difference(told);
      reporting.routed = reporting.routed.difference(told);
    } else {
      this.#index.replace(name, 0, hashes);
      reporting.reported = told;
      reporting.routed = new Set();
    }
  }
}

describe('KvCacheAwareRouter', () => {
  it('chooses and matches as the formula says', () => {
    fc.assert(
      fc.property(options, fc.array(step, { maxLength: 60 }), (chosen, steps) => {
        const pair = new Pair(chosen);
        for (const each of steps) {
          const [said, expected] = pair.do(each);
          expect(said).toEqual(expected);
        }
      }),
      { numRuns: 300 },
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { BlockCache, type BlockUsage } from './block-cache.js';
import type { BlockEvent } from './block-event.js';
import { blockHashes } from './block-hash.js';
import type { BlockLease } from './block-lease.js';

/** Owns: random histories of leases against a model that keeps plain lists and counts by going through them. */

const B = 2;

interface ModelLease {
  readonly hashes: readonly bigint[];
  readonly maxTokens: number;
  covered: number;
}

const fullBlocks = (lease: ModelLease): bigint[] => lease.hashes.slice(0, Math.floor(lease.covered / B));
const blocks = (tokens: number): number => Math.ceil(tokens / B);

class ModelCache {
  readonly leases: ModelLease[] = [];
  /** Unreferenced, oldest first. */
  readonly idle: bigint[] = [];
  readonly evicted: bigint[] = [];

  constructor(private readonly capacity: number) {}

  get pinnedHashes(): Set<bigint> {
    return new Set(this.leases.flatMap(fullBlocks));
  }

  get stored(): Set<bigint> {
    return new Set([...this.pinnedHashes, ...this.idle]);
  }

  get usage(): Record<string, number> {
    const partial = this.leases.filter((lease) => lease.covered % B !== 0);
    const promised = this.leases.map((lease) => blocks(lease.maxTokens) - blocks(lease.covered));
    return {
      total: this.capacity,
      pinned: this.pinnedHashes.size + partial.length,
      cached: this.idle.length,
      reserved: promised.reduce((sum, count) => sum + count, 0),
    };
  }

  admit(hashes: readonly bigint[], reusable: number, maxTokens: number): string {
    if (blocks(maxTokens) > this.capacity) return 'impossible';
    const missing = hashes.findIndex((hash) => !this.stored.has(hash));
    const matched = Math.min(missing < 0 ? hashes.length : missing, Math.floor(reusable / B));
    const lease = { hashes, maxTokens, covered: matched * B };
    this.leases.push(lease);
    const { pinned, reserved } = this.usage as { pinned: number; reserved: number };
    if (pinned + reserved > this.capacity) {
      this.leases.pop();
      return 'full';
    }
    for (const hash of fullBlocks(lease)) this.unidle(hash);
    return 'admitted';
  }

  cover(lease: ModelLease, tokens: number): void {
    while (lease.covered < tokens) {
      const fresh = lease.covered % B === 0;
      lease.covered += 1;
      const partial = this.leases.filter(({ covered }) => covered % B !== 0);
      if (fresh && this.stored.size + partial.length > this.capacity) {
        this.evicted.push(this.idle.shift() ?? -1n);
      }
      for (const hash of fullBlocks(lease)) this.unidle(hash);
    }
  }

  release(lease: ModelLease): void {
    const before = this.pinnedHashes;
    this.leases.splice(this.leases.indexOf(lease), 1);
    for (const hash of fullBlocks(lease).reverse()) {
      if (before.has(hash) && !this.pinnedHashes.has(hash)) this.idle.push(hash);
    }
  }

  private unidle(hash: bigint): void {
    const at = this.idle.indexOf(hash);
    if (at >= 0) this.idle.splice(at, 1);
  }
}

const operation = fc.oneof(
  fc.record({
    kind: fc.constant('admit' as const),
    tokens: fc.array(fc.nat(1), { minLength: 1, maxLength: 14, size: 'max' }),
    /** Answer tokens that room is kept for. */
    extra: fc.nat(4),
    /** Leading tokens that may not be reused. */
    short: fc.nat(2),
  }),
  fc.record({ kind: fc.constant('cover' as const), which: fc.nat(), more: fc.nat(6) }),
  fc.record({ kind: fc.constant('release' as const), which: fc.nat() }),
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

/** A cache and its model, going through the same history. */
class History {
  private readonly mirrored = new Set<bigint>();
  private readonly evicted: bigint[] = [];
  private readonly cache: BlockCache;
  private readonly model: ModelCache;
  private readonly leases = new Map<ModelLease, BlockLease>();
  private readonly admissions: string[] = [];
  private readonly modelAdmissions: string[] = [];
  private readonly eventFaults: string[] = [];

  constructor(capacityBlocks: number) {
    this.model = new ModelCache(capacityBlocks);
    this.cache = new BlockCache({ capacityBlocks, tokensPerBlock: B, onEvent: (event) => this.mirror(event) });
  }

  apply(step: Operation): void {
    if (step.kind === 'admit') {
      this.admit(Uint32Array.from(step.tokens), step.extra, step.short);
      return;
    }
    const lease = this.model.leases[step.which % this.model.leases.length];
    if (lease === undefined) return;
    if (step.kind === 'cover') this.cover(lease, step.more);
    else this.release(lease);
  }

  /** What the cache has done and is. */
  observed(): unknown {
    const { pinned, cached, reserved, total } = this.cache.usage;
    return {
      usage: this.cache.usage,
      stored: this.mirrored,
      evicted: this.evicted,
      admissions: this.admissions,
      found: this.model.leases.map((lease) => this.cache.match(fullBlocks(lease))),
      overfull: pinned + reserved > total || pinned + cached > total,
      eventFaults: this.eventFaults,
    };
  }

  /** What it should have done and should be. */
  expected(): unknown {
    return {
      usage: this.model.usage,
      stored: this.model.stored,
      evicted: this.model.evicted,
      admissions: this.modelAdmissions,
      found: this.model.leases.map((lease) => fullBlocks(lease).length),
      overfull: false,
      eventFaults: [],
    };
  }

  releaseAll(): BlockUsage {
    for (const lease of [...this.model.leases]) this.release(lease);
    return this.cache.usage;
  }

  private admit(tokens: Uint32Array, extra: number, short: number): void {
    const hashes = blockHashes(tokens, B);
    const maxTokens = tokens.length + extra;
    const reusableTokens = Math.max(0, tokens.length - short);
    const outcome = this.model.admit(hashes, reusableTokens, maxTokens);
    const got = this.cache.admit({ hashes, reusableTokens, maxTokens });
    const made = outcome === 'admitted' ? this.model.leases.at(-1) : undefined;
    this.modelAdmissions.push(`${outcome} ${String(made?.covered)}`);
    const lease = got.outcome === 'admitted' ? got.lease : undefined;
    this.admissions.push(`${got.outcome} ${String(lease?.cachedTokens)}`);
    if (made !== undefined && lease !== undefined) this.leases.set(made, lease);
  }

  private cover(lease: ModelLease, more: number): void {
    // Tokens past the prompt have no hashes here, so no block of them may fill up.
    const end = Math.min(lease.covered + more, lease.maxTokens, lease.hashes.length * B + B - 1);
    this.leases.get(lease)?.cover(end);
    this.model.cover(lease, end);
  }

  private release(lease: ModelLease): void {
    this.leases.get(lease)?.release();
    this.model.release(lease);
    this.leases.delete(lease);
  }

  private mirror(event: BlockEvent): void {
    if (event.type === 'stored') {
      if (this.mirrored.has(event.hash)) this.eventFaults.push('stored twice');
      // A stored block is of use only while everything before it is stored.
      if (event.parent !== null && !this.mirrored.has(event.parent)) this.eventFaults.push('stored without its parent');
      this.mirrored.add(event.hash);
    } else {
      this.evicted.push(event.hash);
      if (!this.mirrored.delete(event.hash)) this.eventFaults.push('removed but not stored');
    }
  }
}

describe('BlockCache under random histories', () => {
  it('does what the model does', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.array(operation, { maxLength: 80, size: 'max' }),
        (capacityBlocks, operations) => {
          const history = new History(capacityBlocks);
          for (const step of operations) {
            history.apply(step);
            expect(history.observed()).toEqual(history.expected());
          }
          expect(history.releaseAll()).toMatchObject({ pinned: 0, reserved: 0 });
        },
      ),
      { numRuns: 200 },
    ));
});

import type { BlockEvent } from './block-event.js';
import { BlockLease, type LeaseRoom } from './block-lease.js';
import { LruList, type LruNode } from './lru-list.js';

/** A stored block: full, hashed, and reusable. */
interface StoredBlock extends LruNode {
  readonly hash: bigint;
  /** Leases that pin it. */
  references: number;
}

/** How large a rank's cache is, and whether blocks outlive their sequence. */
export interface BlockCacheOptions {
  readonly capacityBlocks: number;
  readonly tokensPerBlock: number;
  /** False: nothing is stored, so nothing is ever found. */
  readonly reuse?: boolean;
  readonly onEvent?: (event: BlockEvent) => void;
}

/** What a sequence needs of a cache. */
export interface LeaseRequest {
  /** Hashes of the sequence's full blocks; read again as the sequence grows, so the array may be a growing one. */
  readonly hashes: readonly bigint[];
  /** The most leading tokens that may be reused; a sequence that still has to sample leaves at least its last one out. */
  readonly reusableTokens: number;
  /** The most tokens that the sequence will ever cover; room for all of them is promised. */
  readonly maxTokens: number;
}

/** `full`: room will come when others let go. `impossible`: the sequence is larger than the whole cache. */
export type Admission =
  | { readonly outcome: 'admitted'; readonly lease: BlockLease }
  | { readonly outcome: 'full' }
  | { readonly outcome: 'impossible' };

/** Where a cache's blocks are, in blocks. `pinned + reserved` and `pinned + cached` never exceed `total`. */
export interface BlockUsage {
  readonly total: number;
  /** In use by leases, each shared block once. */
  readonly pinned: number;
  /** Stored and unreferenced: found by the next match, gone when room is needed. */
  readonly cached: number;
  /** Promised to leases that have not grown so far yet. */
  readonly reserved: number;
}

/**
 * The prefix cache of one rank. Full blocks are stored under their chained hash and shared between sequences; blocks that
 * no lease pins are kept until room is needed, and then go in the order in which they were let go, a sequence's last
 * block first, so that every stored block's parent is stored too.
 *
 * A sequence is admitted only when room for its largest size is free, so an admitted sequence can always grow.
 */
export class BlockCache {
  readonly tokensPerBlock: number;
  private readonly capacity: number;
  private readonly reuse: boolean;
  private readonly onEvent: (event: BlockEvent) => void;
  private readonly stored = new Map<bigint, StoredBlock>();
  private readonly unreferenced = new LruList<StoredBlock>();
  /** Blocks in use that have no hash yet. */
  private unhashed = 0;
  private reserved = 0;

  /** @throws RangeError unless capacity and block size are positive integers */
  constructor(options: BlockCacheOptions) {
    requirePositive('capacityBlocks', options.capacityBlocks);
    requirePositive('tokensPerBlock', options.tokensPerBlock);
    this.capacity = options.capacityBlocks;
    this.tokensPerBlock = options.tokensPerBlock;
    this.reuse = options.reuse ?? true;
    this.onEvent = options.onEvent ?? (() => undefined);
  }

  /** How many of the leading blocks are stored. Changes nothing. */
  match(hashes: readonly bigint[]): number {
    let count = 0;
    while (count < hashes.length && this.stored.has(hashes[count] ?? 0n)) {
      count += 1;
    }
    return count;
  }

  /** Hashes of all stored blocks, in no particular order. */
  storedHashes(): readonly bigint[] {
    return [...this.stored.keys()];
  }

  /** How the blocks are taken up at this moment. */
  get usage(): BlockUsage {
    return {
      total: this.capacity,
      pinned: this.pinned,
      cached: this.unreferenced.size,
      reserved: this.reserved,
    };
  }

  /** Whether a sequence of so many tokens can ever be admitted. */
  canEverFit(maxTokens: number): boolean {
    return this.blocksOf(maxTokens) <= this.capacity;
  }

  /** Pins the longest stored prefix of a sequence and promises room for the rest, or changes nothing. */
  admit(request: LeaseRequest): Admission {
    if (!this.canEverFit(request.maxTokens)) return { outcome: 'impossible' };
    const shared = request.hashes.slice(
      0,
      Math.min(this.match(request.hashes), Math.floor(request.reusableTokens / this.tokensPerBlock)),
    );
    const reserved = this.blocksOf(request.maxTokens) - shared.length;
    const newlyPinned = shared.filter((hash) => this.stored.get(hash)?.references === 0).length;
    if (this.pinned + this.reserved + newlyPinned + reserved > this.capacity) {
      return { outcome: 'full' };
    }
    for (const hash of shared) this.pin(hash);
    this.reserved += reserved;
    return {
      outcome: 'admitted',
      lease: new BlockLease(this.room, this.tokensPerBlock, request.hashes, shared, reserved),
    };
  }

  private get pinned(): number {
    return this.stored.size - this.unreferenced.size + this.unhashed;
  }

  private blocksOf(tokens: number): number {
    return Math.ceil(tokens / this.tokensPerBlock);
  }

  /** What leases may do to the cache. */
  private readonly room: LeaseRoom = {
    take: () => {
      this.reserved -= 1;
      this.unhashed += 1;
      if (this.stored.size + this.unhashed > this.capacity) this.evict();
    },
    store: (hash, parent) => {
      if (!this.reuse) return false;
      this.unhashed -= 1;
      if (!this.stored.has(hash)) {
        const block = { hash, references: 0, older: null, newer: null };
        this.stored.set(hash, block);
        this.unreferenced.add(block);
        this.onEvent({ type: 'stored', hash, parent });
      }
      this.pin(hash);
      return true;
    },
    giveBack: (hashes, unhashed, reserved) => {
      this.reserved -= reserved;
      this.unhashed -= unhashed;
      for (const hash of hashes.toReversed()) this.unpin(hash);
    },
  };

  private pin(hash: bigint): void {
    const block = this.blockAt(hash);
    if (block.references === 0) this.unreferenced.delete(block);
    block.references += 1;
  }

  private unpin(hash: bigint): void {
    const block = this.blockAt(hash);
    block.references -= 1;
    if (block.references === 0) this.unreferenced.add(block);
  }

  private evict(): void {
    const block = this.unreferenced.first;
    if (block === null) throw new Error('no block can be evicted');
    this.unreferenced.delete(block);
    this.stored.delete(block.hash);
    this.onEvent({ type: 'removed', hash: block.hash });
  }

  private blockAt(hash: bigint): StoredBlock {
    const block = this.stored.get(hash);
    if (block === undefined) throw new Error(`block ${String(hash)} is gone`);
    return block;
  }
}

function requirePositive(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1) {
    throw new RangeError(`${name} must be a positive integer, got ${String(value)}`);
  }
}

const SHARDS = 64;

/**
 * A map for up to tens of millions of entries. A `Map` of a million stops the process for a fifth of a second whenever
 * it grows or compacts, and ends at 2^24; this one spreads the entries over many small maps.
 */
export class ShardedMap<Key, Value> {
  readonly #shards = Array.from({ length: SHARDS }, () => new Map<Key, Value>());

  /** `spread` gives each key an integer, of which the low bits choose the shard; any spread is correct. */
  constructor(private readonly spread: (key: Key) => number) {}

  /** Number of entries. */
  get size(): number {
    return this.#shards.reduce((sum, shard) => sum + shard.size, 0);
  }

  get(key: Key): Value | undefined {
    return this.#shard(key)?.get(key);
  }

  set(key: Key, value: Value): void {
    this.#shard(key)?.set(key, value);
  }

  delete(key: Key): void {
    this.#shard(key)?.delete(key);
  }

  #shard(key: Key): Map<Key, Value> | undefined {
    return this.#shards[this.spread(key) & (SHARDS - 1)];
  }
}

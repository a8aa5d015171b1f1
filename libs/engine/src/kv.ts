/** A held KV cache on one rank. Only the engine that made a handle can use it. */
export interface KvHandle {
  readonly rank: number;
  /** Tokens that the cache covers. */
  readonly numTokens: number;
}

/** What travels before the bytes of a cache, so that a receiver can refuse what does not fit. */
export interface KvDescription {
  readonly engine: string;
  readonly model: string;
  /** {@link EngineInfo.kvLayout} of the sender. */
  readonly layout: string;
  readonly numTokens: number;
  /** Leading tokens that are left out. */
  readonly skippedTokens: number;
  readonly numBytes: number;
}

/** A cache on its way out. */
export interface KvExport {
  readonly description: KvDescription;
  /** Chunks of at most 256 KiB, as fast as the reader takes them. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Room made on a rank for a cache that is to arrive. Exactly one of `accept` and `abandon` is called. */
export interface PendingImport {
  /** Leading prompt tokens that the rank holds already, and that need not be sent. */
  readonly cachedTokens: number;
  /**
   * Reads the cache in. The rank's room is freed when this rejects.
   *
   * @throws KvMismatch when the bytes are not the cache that was asked for
   */
  accept(description: KvDescription, chunks: AsyncIterable<Uint8Array>): Promise<KvHandle>;
  abandon(): void;
}

/** A block of a rank's cache has become reusable, or has ceased to be. */
export interface KvCacheEvent {
  readonly rank: number;
  readonly type: 'stored' | 'removed';
  readonly hash: bigint;
}

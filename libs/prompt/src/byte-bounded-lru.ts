interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

/** Keeps values up to a total size, and forgets those that were not asked for longest. */
export class ByteBoundedLru<Value> {
  private readonly entries = new Map<string, Entry<Value>>();
  private held = 0;

  /** @throws RangeError for a negative bound */
  constructor(private readonly maxBytes: number) {
    if (!(maxBytes >= 0)) {
      throw new RangeError(`maxBytes must not be negative, got ${String(maxBytes)}`);
    }
  }

  /** Sizes of what is kept, as given to {@link set}. */
  get bytes(): number {
    return this.held;
  }

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  /** Keeps a value that is not kept yet; one larger than the bound is not kept at all. */
  set(key: string, value: Value, bytes: number): void {
    if (this.entries.has(key) || bytes > this.maxBytes) return;
    this.entries.set(key, { value, bytes });
    this.held += bytes;
    for (const [oldest, entry] of this.entries) {
      if (this.held <= this.maxBytes) break;
      this.entries.delete(oldest);
      this.held -= entry.bytes;
    }
  }
}

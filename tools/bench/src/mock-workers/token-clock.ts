/** A stream that is being written. */
export interface TokenStream {
  /** Writes the next token, unless its reader is behind; says whether that was the last one. */
  next(): boolean;
}

/**
 * Has all streams of a worker write one token each, again and again, as the iterations of a batch do: so many times a
 * second, or without a pause.
 */
export class TokenClock {
  private readonly streams = new Set<TokenStream>();
  private running = false;

  /** @param tokensPerSecond of each stream; 0: as many as go */
  constructor(private readonly tokensPerSecond: number) {}

  add(stream: TokenStream): void {
    this.streams.add(stream);
    if (this.running) return;
    this.running = true;
    this.schedule();
  }

  remove(stream: TokenStream): void {
    this.streams.delete(stream);
  }

  private schedule(): void {
    if (this.tokensPerSecond === 0) setImmediate(() => this.tick());
    else setTimeout(() => this.tick(), 1_000 / this.tokensPerSecond);
  }

  private tick(): void {
    for (const stream of this.streams) if (stream.next()) this.streams.delete(stream);
    this.running = this.streams.size > 0;
    if (this.running) this.schedule();
  }
}

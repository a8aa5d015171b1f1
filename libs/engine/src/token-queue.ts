/** Carries tokens from an engine to one reader. A reader that lags gets all that has come up since, in one piece. */
export class TokenQueue {
  private tokens: number[] = [];
  private ended = false;
  private failure: { readonly reason: unknown } | null = null;
  private wake: () => void = () => undefined;

  push(token: number): void {
    this.tokens.push(token);
    this.wake();
  }

  /** Nothing follows. */
  end(): void {
    this.ended = true;
    this.wake();
  }

  /** The reader fails with this, at once. */
  fail(reason: unknown): void {
    this.failure = { reason };
    this.wake();
  }

  async *read(): AsyncGenerator<readonly number[], void, undefined> {
    for (;;) {
      if (this.failure !== null) throw this.failure.reason;
      if (this.tokens.length > 0) {
        const tokens = this.tokens;
        this.tokens = [];
        yield tokens;
      } else if (this.ended) return;
      else {
        const { promise, resolve } = Promise.withResolvers<undefined>();
        this.wake = () => {
          resolve(undefined);
        };
        await promise;
      }
    }
  }
}

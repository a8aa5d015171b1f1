/** The requests that run, and how they all are ended when the edge's time is over. */
export class RunningRequests {
  private readonly aborts = new Set<(reason: Error) => void>();
  private over: Error | null = null;
  private tellIdle: () => void = () => undefined;

  /**
   * Counts a request in, and ends it at once when all have been ended.
   *
   * @returns what counts it out again
   */
  enter(abort: (reason: Error) => void): () => void {
    this.aborts.add(abort);
    if (this.over !== null) abort(this.over);
    return () => {
      this.aborts.delete(abort);
      if (this.aborts.size === 0) this.tellIdle();
    };
  }

  /** Resolves when no request runs. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.tellIdle = resolve;
      if (this.aborts.size === 0) resolve();
    });
  }

  /** Ends every request that runs, and any that comes. */
  abortAll(reason: Error): void {
    this.over = reason;
    for (const abort of this.aborts) abort(reason);
  }
}

/** The jobs that are going on, each of which ends when its signal or the whole engine does. */
export class LiveJobs {
  private readonly jobs = new Set<(reason: unknown) => void>();
  private closed: { readonly reason: unknown } | null = null;

  /**
   * Calls `end` with the reason when the signal aborts or the engine stops, once. Returns how to say that the job is over.
   *
   * @throws the reason when that has happened already
   */
  track(signal: AbortSignal, end: (reason: unknown) => void): () => void {
    if (this.closed !== null) throw this.closed.reason;
    signal.throwIfAborted();
    const untrack = (): void => {
      this.jobs.delete(endOnce);
      signal.removeEventListener('abort', onAbort);
    };
    const endOnce = (reason: unknown): void => {
      untrack();
      end(reason);
    };
    const onAbort = (): void => {
      endOnce(signal.reason);
    };
    signal.addEventListener('abort', onAbort);
    this.jobs.add(endOnce);
    return untrack;
  }

  /** Ends all jobs, and every one to come. */
  close(reason: unknown): void {
    this.closed ??= { reason };
    for (const end of [...this.jobs]) end(reason);
  }
}

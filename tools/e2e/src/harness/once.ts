/** Something that is to be started once, by whichever callback comes first. */
export class Once<Result> {
  private started: Promise<Result> | null = null;

  /** Starts it, unless it has been started. */
  start(work: () => Promise<Result>): void {
    this.started ??= work();
  }

  /**
   * What came of it.
   *
   * @throws Error when nobody has started it
   */
  result(): Promise<Result> {
    if (this.started === null) throw new Error('nobody has started it');
    return this.started;
  }
}

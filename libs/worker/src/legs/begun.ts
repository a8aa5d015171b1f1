/** Values whose making has begun, whether or not anybody has asked for one yet. */
export class Begun<T> {
  private readonly iterator: AsyncIterator<T>;
  private readonly first: Promise<IteratorResult<T>>;

  constructor(values: AsyncIterable<T>) {
    this.iterator = values[Symbol.asyncIterator]();
    this.first = this.iterator.next();
    // Whoever takes the values sees the failure; until then it is nobody's.
    this.first.catch(() => undefined);
  }

  /** All values, once. */
  async *values(): AsyncGenerator<T, void, undefined> {
    for (let step = await this.first; step.done !== true; step = await this.iterator.next()) yield step.value;
  }

  /** Ends the making, however many values have been taken. */
  async end(): Promise<void> {
    await this.iterator.return?.();
  }
}

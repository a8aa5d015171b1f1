/** The block before a first one. */
const NONE = -1;

/** A block was seen behind two different ones: the ids are not of chained hashes, and say nothing about prefixes. */
export class UnchainedBlockError extends Error {
  override readonly name = 'UnchainedBlockError';

  constructor(readonly id: number) {
    super(`block ${String(id)} follows another block than it did before, so it does not stand for a prefix`);
  }
}

/** Numbers the blocks of a trace from 0, whatever ids they have there. */
export class BlockNumbers {
  readonly #scopes = new Map<string, Map<number, number>>();
  readonly #before: number[] = [];

  /** Different blocks so far. */
  get size(): number {
    return this.#before.length;
  }

  /**
   * The numbers of consecutive blocks of one prompt.
   *
   * @param scope what ids are told apart by: equal ids in one scope are one block
   * @param before the number of the block before the first one; absent at the beginning of a prompt
   * @throws UnchainedBlockError when a block is known behind another one
   */
  number(scope: string, ids: readonly number[], before = NONE): Uint32Array {
    const known = this.#scope(scope);
    const numbers = new Uint32Array(ids.length);
    ids.forEach((id, at) => {
      const number = known.get(id) ?? this.#before.length;
      if (number === this.#before.length) {
        known.set(id, number);
        this.#before.push(before);
      } else if (this.#before[number] !== before) throw new UnchainedBlockError(id);
      numbers[at] = number;
      before = number;
    });
    return numbers;
  }

  #scope(name: string): Map<number, number> {
    const known = this.#scopes.get(name) ?? new Map<number, number>();
    this.#scopes.set(name, known);
    return known;
  }
}

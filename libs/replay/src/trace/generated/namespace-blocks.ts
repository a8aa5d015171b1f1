import type { PrefixPart } from './generated-line.js';

/** A namespace behind certain parts. */
interface Place {
  /** The numbers of the blocks that end in it, beginning with block `firstBlock` of the prompt. */
  readonly numbers: number[];
  readonly firstBlock: number;
  /** What follows it, by how much of it comes before and by the namespace. */
  readonly next: Map<string, Place>;
}

/** Numbers the blocks of prompts that are told as parts of namespaces; equal beginnings have equal numbers. */
export class NamespaceBlocks {
  readonly #scopes = new Map<string, Place>();
  #size = 0;

  /** @param tokensPerBlock tokens of a block */
  constructor(private readonly tokensPerBlock: number) {}

  /** Different blocks so far. */
  get size(): number {
    return this.#size;
  }

  /**
   * The numbers of the full blocks of a prompt.
   *
   * @param scope prompts of different ones have no block in common
   */
  number(scope: string, parts: readonly PrefixPart[]): Uint32Array {
    const tokens = parts.reduce((sum, { len }) => sum + len, 0);
    const blocks = new Uint32Array(Math.floor(tokens / this.tokensPerBlock));
    let place = this.#scopes.get(scope) ?? placeAt(0);
    this.#scopes.set(scope, place);
    let [end, before, at] = [0, 0, 0];
    for (const { ns, len } of parts) {
      const key = `${String(before)} ${ns}`;
      const following = place.next.get(key) ?? placeAt(at);
      place.next.set(key, following);
      [place, before, end] = [following, len, end + len];
      for (const full = Math.floor(end / this.tokensPerBlock); at < full; at += 1) blocks[at] = this.#numberOf(place, at);
    }
    return blocks;
  }

  #numberOf({ numbers, firstBlock }: Place, block: number): number {
    // A prompt has all blocks before this one too, so numbers are asked for without gaps.
    const known = numbers[block - firstBlock];
    if (known !== undefined) return known;
    numbers.push(this.#size);
    return this.#size++;
  }
}

function placeAt(firstBlock: number): Place {
  return { numbers: [], firstBlock, next: new Map() };
}

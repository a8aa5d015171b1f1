import type { TokenChain } from '@roost/block-cache';

/**
 * The simulated KV cache of some tokens of a sequence, as bytes: each token's depend on it, on all tokens before it and on
 * the cache salt, so that only the right cache has the right bytes. Made as they are asked for.
 */
export class KvBytes {
  private readonly wordsPerToken: number;
  private token: number;
  private word = 0;
  private low = 0;
  private high = 0;

  /**
   * @param bytesPerToken a multiple of 4
   * @param start the first token
   * @param end behind the last token; must not exceed the chain's length
   */
  constructor(
    private readonly chain: TokenChain,
    bytesPerToken: number,
    start: number,
    private readonly end: number,
  ) {
    this.wordsPerToken = bytesPerToken / 4;
    this.token = start - (start % chain.tokensPerBlock);
    for (; this.token < start; this.token += 1) this.mixIn(this.token);
  }

  /** The next bytes, at most so many (a multiple of 4); none at the end. */
  next(maxBytes: number): Uint8Array {
    const left = (this.end - this.token) * this.wordsPerToken - this.word;
    const words = new Uint32Array(Math.min(maxBytes / 4, left));
    for (let filled = 0; filled < words.length;) {
      filled += this.fill(words.subarray(filled));
    }
    return new Uint8Array(words.buffer);
  }

  /** Fills in words of the present token, and goes on to the next one behind its last. */
  private fill(target: Uint32Array): number {
    if (this.word === 0) this.mixIn(this.token);
    const { word, low, high } = this;
    const count = Math.min(target.length, this.wordsPerToken - word);
    for (let index = 0; index < count; index += 1) {
      target[index] = mix(low + Math.imul(word + index, 0x9e3779b9)) ^ high;
    }
    this.word += count;
    if (this.word === this.wordsPerToken) {
      this.word = 0;
      this.token += 1;
    }
    return count;
  }

  private mixIn(index: number): void {
    const { tokensPerBlock } = this.chain;
    if (index % tokensPerBlock === 0) {
      const parent = this.chain.parentOf(index / tokensPerBlock);
      this.low = Number(BigInt.asIntN(32, parent));
      this.high = Number(BigInt.asIntN(32, parent >> 32n));
    }
    const token = this.chain.slice(index, index + 1)[0] ?? 0;
    this.low = mix(this.low ^ token);
    this.high = mix(this.high + this.low);
  }
}

function mix(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

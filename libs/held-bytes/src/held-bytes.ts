import { giveBack } from './own-memory.js';

/**
 * Bytes that several read, one after the other or at once. When the last has done they are empty, and their memory is
 * given back, provided that it was a `BytesBuilder`'s and long enough to be their own; any other is left to V8.
 */
export class HeldBytes {
  private holders = 1;

  /** Held by whoever makes this. */
  constructor(readonly bytes: Buffer) {}

  /**
   * Keeps the bytes for somebody more.
   *
   * @returns what gives them back, once; where it is never called, V8 sees to the memory
   * @throws Error when nobody has held them any more: they may be gone
   */
  hold(): () => void {
    if (this.holders === 0) throw new Error('bytes that were given back cannot be held again');
    this.holders += 1;
    let holds = true;
    return () => {
      if (holds) this.release();
      holds = false;
    };
  }

  /** Says that whoever made this needs the bytes no more. */
  release(): void {
    this.holders -= 1;
    if (this.holders === 0) giveBack(this.bytes);
  }
}

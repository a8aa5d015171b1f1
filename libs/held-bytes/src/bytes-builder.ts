import { Buffer } from 'node:buffer';

import { allocate, giveBack } from './own-memory.js';

/** Who announces much gets no more memory than that before it has sent as much. */
const FIRST_BYTES = 1_024 * 1_024;

/** Puts bytes together from pieces as they come, so that no piece is kept. */
export class BytesBuilder {
  private memory: Buffer = Buffer.alloc(0);
  private received = 0;

  /** @param announced bytes that are said to come; NaN where that is not said */
  constructor(private readonly announced: number) {}

  /** Bytes so far. */
  get length(): number {
    return this.received;
  }

  add(piece: Uint8Array): void {
    const needed = this.received + piece.length;
    if (needed > this.memory.length) this.grow(needed);
    this.memory.set(piece, this.received);
    this.received = needed;
  }

  /** All of it. The builder is of no use any more. */
  finish(): Buffer {
    return this.memory.subarray(0, this.received);
  }

  /** Gives up what has come, and its memory back. The builder is of no use any more. */
  discard(): void {
    giveBack(this.memory);
  }

  private grow(needed: number): void {
    const twice = 2 * this.memory.length;
    const wanted = Number.isNaN(this.announced) ? twice : Math.min(this.announced, Math.max(twice, FIRST_BYTES));
    const memory = allocate(Math.max(needed, wanted));
    memory.set(this.memory.subarray(0, this.received));
    giveBack(this.memory);
    this.memory = memory;
  }
}

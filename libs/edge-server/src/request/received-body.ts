import { Buffer } from 'node:buffer';

/**
 * The bytes of a client's request, which several read: the edge, legs, the trace log. Memory of their own is given back when
 * the last has done. Left to V8 it would be given back by collections of the whole heap, which buffers of long prompts
 * bring about several times a second, at a quarter of an edge's processor time.
 */
export class ReceivedBody {
  private holders = 1;

  /** @param ownMemory whether nothing else is in the memory of these bytes */
  constructor(
    readonly bytes: Buffer,
    private readonly ownMemory = false,
  ) {}

  /**
   * Keeps the bytes for somebody more than whoever received them.
   *
   * @returns what gives them back, once; where it is never called, V8 sees to the memory
   */
  hold(): () => void {
    this.holders += 1;
    let holds = true;
    return () => {
      if (holds) this.release();
      holds = false;
    };
  }

  /** Says that whoever received the bytes needs them no more; after the last holder they are empty. */
  release(): void {
    this.holders -= 1;
    // Transferring memory to a buffer of no length is how JavaScript frees it.
    if (this.holders === 0 && this.ownMemory) (this.bytes.buffer as ArrayBuffer).transfer(0);
  }
}

/** Bodies of fewer bytes share pages with others: memory of their own would cost more than it gives back. */
const OWN_MEMORY_BYTES = 32 * 1_024;
/** A client that announces a long body gets no more memory than that before it has sent as much. */
const FIRST_BYTES = 1_024 * 1_024;

/** Puts a body together from its pieces as they come, so that none of them is kept. */
export class BodyBuilder {
  private memory: Buffer = Buffer.alloc(0);
  private ownMemory = false;
  private received = 0;

  /** @param announced bytes that the client says it sends; NaN where it does not say */
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

  /** The whole body. The builder is of no use any more. */
  finish(): ReceivedBody {
    return new ReceivedBody(this.memory.subarray(0, this.received), this.ownMemory);
  }

  private grow(needed: number): void {
    const twice = 2 * this.memory.length;
    const wanted = Number.isNaN(this.announced) ? twice : Math.min(this.announced, Math.max(twice, FIRST_BYTES));
    const size = Math.max(needed, wanted);
    const ownMemory = size >= OWN_MEMORY_BYTES;
    const memory = ownMemory ? Buffer.allocUnsafeSlow(size) : Buffer.allocUnsafe(size);
    memory.set(this.memory.subarray(0, this.received));
    new ReceivedBody(this.memory, this.ownMemory).release();
    this.memory = memory;
    this.ownMemory = ownMemory;
  }
}

import { Buffer } from 'node:buffer';

/** Fewer bytes share pages with others: memory of their own would cost more than it gives back. */
const LEAST_BYTES = 32 * 1_024;

/** What is known of memory that only one thing is in. */
interface OwnMemory {
  keepers: number;
  isGivenBack: boolean;
}

const own = new WeakMap<ArrayBuffer, OwnMemory>();
const nothingKept = (): void => undefined;

/** Room for so many bytes, in memory that nothing else is in if they are many. What was in the memory before is still there. */
export function allocate(size: number): Buffer<ArrayBuffer> {
  if (size < LEAST_BYTES) return Buffer.allocUnsafe(size);
  const bytes = Buffer.allocUnsafeSlow(size);
  own.set(bytes.buffer, { keepers: 0, isGivenBack: false });
  return bytes;
}

/**
 * Gives the memory back that bytes of a `BytesBuilder` are in, which empties them: now, or when the last who keeps them has
 * done. Memory that may have something else in it is left to V8.
 */
export function giveBack({ buffer }: Uint8Array): void {
  const memory = ownMemoryOf(buffer);
  if (memory === undefined) return;
  memory.isGivenBack = true;
  freeUnlessKept(buffer, memory);
}

/**
 * Keeps bytes in their place although they may be given back.
 *
 * @returns what says that they need not be kept any more; where it is never called, V8 sees to the memory
 * @throws Error when they are gone already
 */
export function keep({ buffer }: Uint8Array): () => void {
  if (buffer instanceof ArrayBuffer && buffer.detached) throw new Error('the bytes were given back');
  const memory = ownMemoryOf(buffer);
  if (memory === undefined) return nothingKept;
  memory.keepers += 1;
  let keeps = true;
  return () => {
    if (!keeps) return;
    keeps = false;
    memory.keepers -= 1;
    freeUnlessKept(buffer, memory);
  };
}

function ownMemoryOf(buffer: ArrayBufferLike): OwnMemory | undefined {
  return buffer instanceof ArrayBuffer ? own.get(buffer) : undefined;
}

function freeUnlessKept(buffer: ArrayBufferLike, { keepers, isGivenBack }: OwnMemory): void {
  // Transferring memory to a buffer of no length is how JavaScript frees it.
  if (isGivenBack && keepers === 0 && buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}

import { Buffer } from 'node:buffer';

/** Fewer bytes share pages with others: memory of their own would cost more than it gives back. */
const LEAST_BYTES = 32 * 1_024;

const own = new WeakSet<ArrayBuffer>();

/** Room for so many bytes, in memory that nothing else is in if they are many. What was in the memory before is still there. */
export function allocate(size: number): Buffer<ArrayBuffer> {
  if (size < LEAST_BYTES) return Buffer.allocUnsafe(size);
  const bytes = Buffer.allocUnsafeSlow(size);
  own.add(bytes.buffer);
  return bytes;
}

/** Gives the memory back that these bytes are in, which empties them, unless there may be something else in it. */
export function giveBack({ buffer }: Uint8Array): void {
  // Transferring memory to a buffer of no length is how JavaScript frees it.
  if (buffer instanceof ArrayBuffer && own.delete(buffer)) buffer.transfer(0);
}

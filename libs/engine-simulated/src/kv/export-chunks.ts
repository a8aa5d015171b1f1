import type { KvBytes } from './kv-bytes.js';
import type { KvLink } from './kv-link.js';

/** The largest chunk of a cache on the wire (the engine port's limit). */
const CHUNK_BYTES = 256 * 1024;

/**
 * Sends a cache over a link, one chunk whenever the reader asks for the next.
 *
 * @param isHeld asked before every chunk
 * @throws Error when the cache is let go of before its end
 */
export async function* exportChunks(
  bytes: KvBytes,
  link: KvLink,
  isHeld: () => boolean,
): AsyncGenerator<Uint8Array, void, undefined> {
  link.open();
  for (;;) {
    if (!isHeld()) throw new Error('the KV cache was released while it was read');
    const chunk = bytes.next(CHUNK_BYTES);
    if (chunk.length === 0) return;
    await link.pass(chunk.length);
    yield chunk;
  }
}

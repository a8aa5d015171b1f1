import { type KvDescription, type KvHandle, type PendingImport, untilAborted } from '@roost/engine';

import { type ExpectedKv, KvCheck } from './kv-check.js';
import type { KvLink } from './kv-link.js';

/** What an import does to its rank. */
export interface ImportRoom {
  /** The cache is there. */
  complete(): KvHandle;
  /** The room is not needed any more. Idempotent. */
  free(): void;
}

/** Room that waits for a cache, checks what arrives, and frees itself when that fails. */
export class IncomingKv implements PendingImport {
  /** @param signal ends the import; its reason is what `accept` rejects with */
  constructor(
    private readonly expected: ExpectedKv,
    private readonly link: KvLink,
    private readonly room: ImportRoom,
    private readonly signal: AbortSignal,
  ) {}

  get cachedTokens(): number {
    return this.expected.cachedTokens;
  }

  async accept(description: KvDescription, chunks: AsyncIterable<Uint8Array>): Promise<KvHandle> {
    try {
      this.signal.throwIfAborted();
      const check = new KvCheck(this.expected, description);
      this.link.open();
      for await (const chunk of untilAborted(chunks, this.signal)) {
        check.take(chunk);
        await this.link.pass(chunk.length);
      }
      this.signal.throwIfAborted();
      check.finish();
      return this.room.complete();
    } catch (error) {
      this.room.free();
      throw error;
    }
  }

  abandon(): void {
    this.room.free();
  }
}

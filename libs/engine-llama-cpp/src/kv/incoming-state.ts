import { type FileHandle, open } from 'node:fs/promises';

import { type KvDescription, type KvHandle, KvMismatch, type PendingImport, untilAborted } from '@roost/engine';

import type { StateFiles } from './state-files.js';
import { checkHeader, headerBytes } from './state-header.js';
import { requireSameLayout } from './state-layout.js';

/** The state that a receiver waits for. */
export interface ExpectedState {
  readonly engine: string;
  readonly model: string;
  readonly layout: string;
  readonly prompt: Uint32Array;
  readonly numBytes: number;
}

/** What an import does to its rank. */
export interface ImportRoom {
  /** Reads the state in; it is held from then on. */
  load(file: string): Promise<KvHandle>;
  /** The room is not needed any more. Idempotent. */
  free(): void;
}

/** Room that waits for a state, checks what arrives, and frees itself when that fails. */
export class IncomingState implements PendingImport {
  /** A state is one piece: none of it can be left out. */
  readonly cachedTokens = 0;

  /** @param signal ends the import; its reason is what `accept` rejects with */
  constructor(
    private readonly expected: ExpectedState,
    private readonly files: StateFiles,
    private readonly room: ImportRoom,
    private readonly signal: AbortSignal,
  ) {}

  async accept(description: KvDescription, chunks: AsyncIterable<Uint8Array>): Promise<KvHandle> {
    try {
      this.signal.throwIfAborted();
      this.check(description);
      return await this.files.withFile(async (file) => {
        const handle = await open(file, 'w+');
        try {
          await this.receive(handle, chunks);
        } finally {
          await handle.close();
        }
        this.signal.throwIfAborted();
        return await this.room.load(file);
      });
    } catch (error) {
      this.room.free();
      throw error;
    }
  }

  abandon(): void {
    this.room.free();
  }

  private check(description: KvDescription): void {
    const { engine, model, layout, prompt, numBytes } = this.expected;
    requireEqual('engine', engine, description.engine);
    requireEqual('model', model, description.model);
    requireSameLayout(layout, description.layout);
    requireEqual('numTokens', prompt.length, description.numTokens);
    requireEqual('skippedTokens', 0, description.skippedTokens);
    requireEqual('numBytes', numBytes, description.numBytes);
  }

  private async receive(handle: FileHandle, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const { numBytes, prompt } = this.expected;
    let received = 0;
    for await (const chunk of untilAborted(chunks, this.signal)) {
      received += chunk.length;
      if (received > numBytes) throw new KvMismatch(`more than the ${String(numBytes)} bytes expected`);
      await handle.appendFile(chunk);
    }
    requireEqual('numBytes received', numBytes, received);
    const header = Buffer.alloc(headerBytes(prompt.length));
    await handle.read(header, 0, header.length, 0);
    checkHeader(header, prompt);
  }
}

function requireEqual(name: string, expected: string | number, got: string | number): void {
  if (expected !== got) {
    throw new KvMismatch(`${name} is ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`);
  }
}

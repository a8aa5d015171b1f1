import { open, rm } from 'node:fs/promises';

import type { StateFiles } from './state-files.js';

/** The largest chunk of a cache on the wire (the engine port's limit). */
const CHUNK_BYTES = 256 * 1024;

/**
 * Saves a state when the first chunk is asked for, and gives it in chunks.
 *
 * @param save writes the state to a file and gives its size in bytes
 * @throws Error when the state is not of the size announced
 */
export async function* exportState(
  files: StateFiles,
  numBytes: number,
  save: (file: string) => Promise<number>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const handle = await files.withFile(async (file) => {
    const size = await save(file);
    if (size !== numBytes)
      throw new Error(`the state has ${String(size)} bytes, not the ${String(numBytes)} announced`);
    const opened = await open(file);
    // Its bytes stay until it is closed, also when this process dies.
    await rm(file);
    return opened;
  });
  try {
    for (let position = 0; position < numBytes;) {
      const length = Math.min(CHUNK_BYTES, numBytes - position);
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, position);
      if (bytesRead === 0) throw new Error('the state ended early');
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

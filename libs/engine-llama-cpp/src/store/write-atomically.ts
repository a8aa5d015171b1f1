import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Writes a file such that it is there whole or not at all, and makes its folder. */
export async function writeAtomically(file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const unfinished = `${file}.${String(process.pid)}.unfinished`;
  try {
    await writeFile(unfinished, bytes);
    await rename(unfinished, file);
  } finally {
    await rm(unfinished, { force: true });
  }
}

import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

const GZIP_MAGIC = Buffer.of(0x1f, 0x8b);

/** The lines of a text file, plain or gzipped, whatever it is called. Throws the system's error when it cannot be read. */
export async function* traceLines(file: string): AsyncGenerator<string, void, undefined> {
  const handle = await open(file);
  try {
    const bytes = handle.createReadStream({ start: 0, autoClose: false });
    // Errors of both come out of the last stream of the pipeline.
    const text = (await isGzipped(handle)) ? pipeline(bytes, createGunzip(), () => undefined) : bytes;
    let rest = '';
    for await (const chunk of text.setEncoding('utf8')) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (rest !== '') yield rest;
  } finally {
    await handle.close();
  }
}

async function isGzipped(handle: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(GZIP_MAGIC.length), 0, GZIP_MAGIC.length, 0);
  return bytesRead === GZIP_MAGIC.length && buffer.equals(GZIP_MAGIC);
}

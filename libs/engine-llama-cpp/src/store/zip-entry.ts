import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';

const END = 0x06054b50;
const END_BYTES = 22;
const CENTRAL = 0x02014b50;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;
const DEFLATED = 8;

/**
 * The bytes of one file of a ZIP archive, which must not be larger than 4 GB.
 *
 * @throws Error when the archive is damaged or has no such file
 */
export async function zipEntry(archive: string, name: string): Promise<Buffer> {
  const file = await open(archive);
  try {
    const { size } = await file.stat();
    const tail = await bytesAt(file, Math.max(0, size - END_BYTES - 0xffff), Math.min(size, END_BYTES + 0xffff));
    const end = tail.lastIndexOf(Uint8Array.of(0x50, 0x4b, 0x05, 0x06));
    if (end < 0 || tail.readUInt32LE(end) !== END) throw new Error(`${archive} is not a ZIP archive`);
    const directory = await bytesAt(file, tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12));
    const entry = findEntry(directory, name);
    if (entry === null) throw new Error(`${archive} has no ${name}`);
    const local = await bytesAt(file, entry.offset, LOCAL_BYTES);
    const start = entry.offset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
    const packed = await bytesAt(file, start, entry.packedSize);
    return entry.method === DEFLATED ? await promisify(inflateRaw)(packed) : packed;
  } finally {
    await file.close();
  }
}

interface Entry {
  readonly method: number;
  readonly packedSize: number;
  readonly offset: number;
}

function findEntry(directory: Buffer, name: string): Entry | null {
  for (let at = 0; at + CENTRAL_BYTES <= directory.length && directory.readUInt32LE(at) === CENTRAL;) {
    const nameLength = directory.readUInt16LE(at + 28);
    const found = directory.toString('utf8', at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameLength);
    if (found === name) {
      return {
        method: directory.readUInt16LE(at + 10),
        packedSize: directory.readUInt32LE(at + 20),
        offset: directory.readUInt32LE(at + 42),
      };
    }
    at += CENTRAL_BYTES + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return null;
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  if (bytesRead !== length) throw new Error('the archive ends early');
  return buffer;
}

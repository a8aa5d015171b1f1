// Owns the rewriting of a model's file: which values come out, where they lie, and that all else stays.
import { describe, expect, it } from '@jest/globals';

import { ggufFile } from '../model/gguf-file.js';

import { indexGguf } from './gguf-index.js';
import { toQ8 } from './to-q8.js';

const F32 = 0;
const Q4_1 = 3;
const Q8_0 = 8;
const plain = Float32Array.from({ length: 7 }, (_, index) => index / 3);

/** A file with a tensor of 64 values in two blocks of Q4_1 between two plain ones. */
function q4File(): Buffer {
  const blocks = Buffer.alloc(64);
  const view = new DataView(blocks.buffer, blocks.byteOffset);
  view.setFloat16(0, 0.5, true);
  view.setFloat16(2, -3, true);
  for (let index = 0; index < 16; index += 1) view.setUint8(4 + index, index | ((15 - index) << 4));
  // The second block is all zeros.
  const metadata = {
    'general.name': { kind: 'string', value: 'x' },
    list: { kind: 'strings', value: ['a', 'bc'] },
  } as const;
  const file = ggufFile(metadata, [
    { name: 'before', dimensions: [7], data: plain },
    { name: 'packed', dimensions: [16], data: new Float32Array(blocks.buffer, blocks.byteOffset, 16) },
    { name: 'after', dimensions: [7], data: plain },
  ]);
  const [, packed] = indexGguf(file).tensors;
  if (packed === undefined) throw new Error('the tensor is gone');
  file.writeUInt32LE(Q4_1, packed.typeAt);
  file.writeBigUInt64LE(64n, packed.typeAt - 8);
  return file;
}

function bytesAt(file: Buffer, name: string, length: number): Buffer {
  const { tensors, dataStart } = indexGguf(file);
  const offset = tensors.find((tensor) => tensor.name === name)?.offset ?? Number.NaN;
  return file.subarray(dataStart + offset, dataStart + offset + length);
}

describe('toQ8', () => {
  const source = q4File();
  const result = toQ8(source);

  it('keeps the order, the names and the sizes, and says the new type', () => {
    const facts = indexGguf(result).tensors.map(({ name, elements, type }) => [name, elements, type]);
    expect(facts).toEqual([
      ['before', 7, F32],
      ['packed', 64, Q8_0],
      ['after', 7, F32],
    ]);
    expect(indexGguf(result).tensors.every(({ offset }) => offset % 32 === 0)).toBe(true);
  });

  it('leaves other tensors and the metadata as they are', () => {
    for (const name of ['before', 'after']) expect(bytesAt(result, name, 28)).toEqual(bytesAt(source, name, 28));
    const [first] = indexGguf(source).tensors;
    expect(result.subarray(0, first?.typeAt)).toEqual(source.subarray(0, first?.typeAt));
  });

  it('gives the same values to within half a step', () => {
    const packed = bytesAt(result, 'packed', 68);
    const view = new DataView(packed.buffer, packed.byteOffset);
    const scale = view.getFloat16(0, true);
    const values = Array.from({ length: 32 }, (_, index) => scale * view.getInt8(2 + index));
    const expected = Array.from({ length: 32 }, (_, index) => 0.5 * (index < 16 ? index : 31 - index) - 3);
    // The scale itself is rounded to 11 bits.
    for (const [index, value] of values.entries()) expect(value).toBeCloseTo(expected[index] ?? Number.NaN, 1);
    expect(Math.max(...values.map((value, index) => Math.abs(value - (expected[index] ?? 0))))).toBeLessThan(
      scale * 0.6,
    );
    expect(packed.subarray(34)).toEqual(Buffer.alloc(34));
  });

  it('takes no other file for one, and no value that it does not know', () => {
    expect(() => toQ8(Buffer.from('something else'))).toThrow('is not a GGUF file');
    const unknown = ggufFile({ key: { kind: 'bool', value: true } }, []);
    // Behind the file's head of 24 bytes, the key's length and the key.
    unknown.writeUInt32LE(99, 24 + 8 + 3);
    expect(() => toQ8(unknown)).toThrow('no type 99');
  });
});

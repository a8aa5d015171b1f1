import { type GgufIndex, indexGguf, type TensorEntry } from './gguf-index.js';

const Q4_1 = 3;
const Q8_0 = 8;
const VALUES = 32;
/** A block of either type: Q4_1 has a scale, a least value and 32 half bytes; Q8_0 a scale and 32 bytes. */
const Q4_1_BYTES = 20;
const Q8_0_BYTES = 34;
const LARGEST = 127;

/**
 * A GGUF file with its Q4_1 tensors rewritten as Q8_0; everything else stays as it is. llama.cpp multiplies whole matrices
 * of Q8_0 at once, those of Q4_1 value by value. Eight bits hold what four have said to within half a percent of a block's
 * largest value. The same bytes on every machine.
 *
 * @throws Error when the file cannot be read as GGUF
 */
export function toQ8(file: Buffer): Buffer {
  const index = indexGguf(file);
  const header = Buffer.from(file.subarray(0, index.dataStart));
  const parts: Buffer[] = [header];
  let offset = 0;
  for (const tensor of index.tensors) {
    const bytes = bytesOf(file, index, tensor);
    const isRewritten = tensor.type === Q4_1;
    const part = padded(isRewritten ? rewrite(bytes, tensor.elements) : bytes, index.alignment);
    header.writeUInt32LE(isRewritten ? Q8_0 : tensor.type, tensor.typeAt);
    header.writeBigUInt64LE(BigInt(offset), tensor.typeAt + 4);
    parts.push(part);
    offset += part.length;
  }
  return Buffer.concat(parts);
}

/** A tensor's bytes, up to where the next one begins. */
function bytesOf(file: Buffer, { tensors, dataStart }: GgufIndex, { offset }: TensorEntry): Buffer {
  const later = tensors.map((tensor) => tensor.offset).filter((other) => other > offset);
  return file.subarray(dataStart + offset, later.length === 0 ? file.length : dataStart + Math.min(...later));
}

function rewrite(source: Buffer, elements: number): Buffer {
  const blocks = elements / VALUES;
  const target = Buffer.alloc(blocks * Q8_0_BYTES);
  const from = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const to = new DataView(target.buffer, target.byteOffset, target.byteLength);
  const values = new Float64Array(VALUES);
  for (let block = 0; block < blocks; block += 1) {
    readBlock(from, block * Q4_1_BYTES, values);
    writeBlock(to, block * Q8_0_BYTES, values);
  }
  return target;
}

/** The first half of the values is in the lower half bytes, the second in the upper. */
function readBlock(from: DataView, at: number, values: Float64Array): void {
  const [scale, least] = [from.getFloat16(at, true), from.getFloat16(at + 2, true)];
  for (let index = 0; index < VALUES / 2; index += 1) {
    const pair = from.getUint8(at + 4 + index);
    values[index] = scale * (pair & 15) + least;
    values[index + VALUES / 2] = scale * (pair >> 4) + least;
  }
}

function writeBlock(to: DataView, at: number, values: Float64Array): void {
  const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / LARGEST;
  to.setFloat16(at, scale, true);
  for (const [index, value] of values.entries())
    to.setInt8(at + 2 + index, scale === 0 ? 0 : Math.round(value / scale));
}

function padded(bytes: Buffer, alignment: number): Buffer {
  const missing = -bytes.length & (alignment - 1);
  return missing === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(missing)]);
}

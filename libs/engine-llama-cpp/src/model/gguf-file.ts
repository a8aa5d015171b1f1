/** A value of a GGUF file's metadata. Whole numbers are written as 32-bit ones. */
export type GgufValue =
  | { readonly kind: 'u32' | 'f32'; readonly value: number }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'strings'; readonly value: readonly string[] }
  | { readonly kind: 'f32s' | 'i32s'; readonly value: readonly number[] };

/** A tensor of 32-bit floats; the first dimension lies closest together. */
export interface GgufTensor {
  readonly name: string;
  readonly dimensions: readonly number[];
  readonly data: Float32Array;
}

const VERSION = 3;
const ALIGNMENT = 32;
const TYPES = { i32: 5, u32: 4, f32: 6, bool: 7, string: 8, array: 9 } as const;
const F32_TENSOR = 0;

/** The bytes of a GGUF file, version 3 (the format's specification in the ggml project). */
export function ggufFile(metadata: Readonly<Record<string, GgufValue>>, tensors: readonly GgufTensor[]): Buffer {
  const entries = Object.entries(metadata);
  const parts = [Buffer.from('GGUF'), u32(VERSION), u64(tensors.length), u64(entries.length)];
  for (const [key, value] of entries) parts.push(text(key), valueBytes(value));
  let offset = 0;
  for (const { name, dimensions, data } of tensors) {
    parts.push(text(name), u32(dimensions.length), ...dimensions.map(u64), u32(F32_TENSOR), u64(offset));
    offset += aligned(data.byteLength);
  }
  const header = Buffer.concat(parts);
  const blocks = tensors.map(({ data }) => padded(Buffer.from(data.buffer, data.byteOffset, data.byteLength)));
  return Buffer.concat([padded(header), ...blocks]);
}

function valueBytes(value: GgufValue): Buffer {
  switch (value.kind) {
    case 'u32':
      return Buffer.concat([u32(TYPES.u32), u32(value.value)]);
    case 'f32':
      return Buffer.concat([u32(TYPES.f32), f32(value.value)]);
    case 'bool':
      return Buffer.concat([u32(TYPES.bool), Buffer.of(value.value ? 1 : 0)]);
    case 'string':
      return Buffer.concat([u32(TYPES.string), text(value.value)]);
    case 'strings':
      return array(TYPES.string, value.value.map(text));
    case 'f32s':
      return array(TYPES.f32, value.value.map(f32));
    case 'i32s':
      return array(TYPES.i32, value.value.map(u32));
  }
}

function array(type: number, items: readonly Buffer[]): Buffer {
  return Buffer.concat([u32(TYPES.array), u32(type), u64(items.length), ...items]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

function aligned(size: number): number {
  return Math.ceil(size / ALIGNMENT) * ALIGNMENT;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length) - bytes.length)]);
}

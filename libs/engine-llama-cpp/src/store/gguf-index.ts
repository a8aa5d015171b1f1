/** A tensor of a GGUF file, and where its description lies. */
export interface TensorEntry {
  readonly name: string;
  readonly elements: number;
  /** As the ggml project numbers its types. */
  readonly type: number;
  /** Position of the type in the file; the tensor's offset follows it. */
  readonly typeAt: number;
  /** Where its bytes begin, from the beginning of all tensors. */
  readonly offset: number;
}

/** Where the parts of a GGUF file lie. */
export interface GgufIndex {
  readonly alignment: number;
  readonly tensors: readonly TensorEntry[];
  /** Where the tensors' bytes begin. */
  readonly dataStart: number;
}

const VERSION = 3;
const DEFAULT_ALIGNMENT = 32;
const STRING = 8;
const ARRAY = 9;
/** Bytes of the scalar types of metadata, by number; none of the two above. */
const SCALAR_BYTES = [1, 1, 2, 2, 4, 4, 4, 1, undefined, undefined, 8, 8, 8];

/**
 * Finds the tensors of a GGUF file, version 3 (the format's specification in the ggml project).
 *
 * @throws RangeError when the file ends early; Error when it is none
 */
export function indexGguf(file: Buffer): GgufIndex {
  if (file.toString('latin1', 0, 4) !== 'GGUF' || file.readUInt32LE(4) !== VERSION) {
    throw new Error('this is not a GGUF file of version 3');
  }
  const reader = new GgufReader(file, 8);
  const [numTensors, numEntries] = [reader.u64(), reader.u64()];
  let alignment = DEFAULT_ALIGNMENT;
  for (let entry = 0; entry < numEntries; entry += 1) {
    const key = reader.text();
    const type = reader.u32();
    if (key === 'general.alignment') alignment = file.readUInt32LE(reader.at);
    reader.skipValue(type);
  }
  const tensors = Array.from({ length: numTensors }, () => reader.tensor());
  return { alignment, tensors, dataStart: Math.ceil(reader.at / alignment) * alignment };
}

/** Reads a GGUF file's header from front to back. */
class GgufReader {
  constructor(
    private readonly file: Buffer,
    public at: number,
  ) {}

  u32(): number {
    this.at += 4;
    return this.file.readUInt32LE(this.at - 4);
  }

  u64(): number {
    this.at += 8;
    return Number(this.file.readBigUInt64LE(this.at - 8));
  }

  text(): string {
    const length = this.u64();
    this.at += length;
    return this.file.toString('utf8', this.at - length, this.at);
  }

  skipValue(type: number): void {
    if (type === STRING) this.text();
    else if (type === ARRAY) {
      const [itemType, count] = [this.u32(), this.u64()];
      for (let item = 0; item < count; item += 1) this.skipValue(itemType);
    } else this.at += scalarBytes(type);
  }

  tensor(): TensorEntry {
    const name = this.text();
    const numDimensions = this.u32();
    let elements = 1;
    for (let dimension = 0; dimension < numDimensions; dimension += 1) elements *= this.u64();
    const typeAt = this.at;
    return { name, elements, typeAt, type: this.u32(), offset: this.u64() };
  }
}

function scalarBytes(type: number): number {
  const bytes = SCALAR_BYTES[type];
  if (bytes === undefined) throw new Error(`GGUF metadata has no type ${String(type)}`);
  return bytes;
}

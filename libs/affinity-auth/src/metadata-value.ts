import { isUtf8 } from 'node:buffer';

import { RoostError } from '@roost/protocol';

/** The part of gRPC's `Metadata` that values are read from. */
export interface ReadableMetadata {
  get(key: string): readonly (string | Buffer)[];
}

/** The part of gRPC's `Metadata` that values are written to. */
export interface WritableMetadata {
  set(key: string, value: string | Buffer): void;
  remove(key: string): void;
}

/** Text that travels as it is: printable ASCII without white space around it, which a proxy may strip. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;
const BINARY_SUFFIX = '-bin';

/**
 * Sets a text under a metadata key, in place of whatever was there. gRPC metadata is ASCII: other text travels under the
 * key with the suffix `-bin`, as UTF-8.
 */
export function writeMetadata(metadata: WritableMetadata, key: string, value: string): void {
  metadata.remove(key);
  metadata.remove(key + BINARY_SUFFIX);
  if (PLAIN.test(value)) metadata.set(key, value);
  else metadata.set(key + BINARY_SUFFIX, Buffer.from(value));
}

/**
 * The text under a metadata key as {@link writeMetadata} has set it, or null.
 *
 * @throws RoostError `invalid_request` when there is more than one value, or one that is not text: readers that disagree
 * on which value counts could be played against each other
 */
export function readMetadata(metadata: ReadableMetadata, key: string): string | null {
  const values = [...metadata.get(key), ...metadata.get(key + BINARY_SUFFIX)];
  const [value] = values;
  if (value === undefined) return null;
  if (values.length > 1) throw new RoostError('invalid_request', `metadata ${key} must be given once`);
  if (typeof value === 'string') return value;
  if (!isUtf8(value)) throw new RoostError('invalid_request', `metadata ${key}${BINARY_SUFFIX} must be UTF-8`);
  return value.toString();
}

import type { Buffer } from 'node:buffer';

import { BinaryReader } from '@bufbuild/protobuf/wire';

/** The fields `body` and `prompt_token_ids`, which legs' messages number alike. */
const BODY = 3;
const PROMPT_TOKEN_IDS = 8;

/** The fields of a leg's message that stand before its body, and how long that is, without the body. */
export interface LegBeginning {
  readonly fields: Buffer;
  readonly bodyLength: number;
}

/**
 * Takes the beginning of a leg's message apart. The edge's encoder writes small fields first.
 *
 * @param beginning of a message, at least as far as its body begins
 */
export function beginningOf(beginning: Buffer): LegBeginning {
  const reader = new BinaryReader(beginning);
  while (reader.pos < reader.len) {
    const at = reader.pos;
    const [field, type] = reader.tag();
    if (field === BODY) return { fields: beginning.subarray(0, at), bodyLength: reader.uint32() };
    if (field === PROMPT_TOKEN_IDS) return { fields: beginning.subarray(0, at), bodyLength: 0 };
    reader.skip(type, field);
  }
  return { fields: beginning, bodyLength: 0 };
}

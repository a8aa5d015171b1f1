import { Buffer } from 'node:buffer';

import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

import {
  GenerateRequest,
  GenerateResponse,
  KvTransferServiceService,
  LegServiceService,
  PrefillRequest,
  PrefillResponse,
  ReleaseRequest,
  ReleaseResponse,
  TokenizeRequest,
  TokenizeResponse,
  TokenizeServiceService,
} from './generated/roost/worker/v1/worker.js';

const NOTHING = Buffer.alloc(0);
/** Tags of the length-delimited fields `body` (3) and `prompt_token_ids` (8), which all messages number alike that have them. */
const BODY = 0x1a;
const PROMPT_TOKEN_IDS = 0x42;

/** The field `prompt_token_ids` of a context leg's answer. */
const ANSWERED_TOKEN_IDS = 4;

/** A message with its large fields. */
interface Large {
  readonly body: Buffer;
  readonly promptTokenIds: Buffer;
}

/**
 * The context leg as an edge calls it. A message is the bytes that the generated encoder makes but for the order of the
 * fields, in parts: prompts are in it as they are, where that encoder would copy them three times.
 */
export const PREFILL = {
  path: LegServiceService.prefill.path,
  encode: (message: PrefillRequest): Buffer[] =>
    withLargeFields(PrefillRequest.encode({ ...message, body: NOTHING, promptTokenIds: NOTHING }).finish(), message),
  decode: decodePrefilled,
} as const;

/** The same for a generation leg. */
export const GENERATE = {
  path: LegServiceService.generate.path,
  encode: (message: GenerateRequest): Buffer[] =>
    withLargeFields(GenerateRequest.encode({ ...message, body: NOTHING, promptTokenIds: NOTHING }).finish(), message),
  decode: (bytes: Uint8Array): GenerateResponse => GenerateResponse.decode(bytes),
} as const;

/** What frees the cache that a context leg has left. */
export const RELEASE = {
  path: KvTransferServiceService.release.path,
  encode: (message: ReleaseRequest): Uint8Array[] => [ReleaseRequest.encode(message).finish()],
  decode: (bytes: Uint8Array): ReleaseResponse => ReleaseResponse.decode(bytes),
} as const;

/** What a prompt's tokens are asked by before its legs are placed. */
export const TOKENIZE = {
  path: TokenizeServiceService.tokenize.path,
  encode: (message: TokenizeRequest): Buffer[] =>
    withLargeFields(TokenizeRequest.encode({ ...message, body: NOTHING }).finish(), {
      body: message.body,
      promptTokenIds: NOTHING,
    }),
  decode: (bytes: Uint8Array): TokenizeResponse => TokenizeResponse.decode(bytes),
} as const;

/** The answer of a context leg; its token ids share the memory of what came, where the generated decoder copies them. */
function decodePrefilled(bytes: Uint8Array): PrefillResponse {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const at = reader.pos;
    const [field, type] = reader.tag();
    if (field === ANSWERED_TOKEN_IDS && type === WireType.LengthDelimited) {
      const ids = reader.bytes();
      const others = PrefillResponse.decode(Buffer.concat([bytes.subarray(0, at), bytes.subarray(reader.pos)]));
      // Of a field that comes twice the last one counts.
      return others.promptTokenIds.length > 0 ? others : { ...others, promptTokenIds: bufferOf(ids) };
    }
    reader.skip(type, field);
  }
  return PrefillResponse.decode(bytes);
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function withLargeFields(small: Uint8Array, { body, promptTokenIds }: Large): Buffer[] {
  const first = Buffer.concat([small, ...headOf(BODY, body)]);
  return [first, body, ...headOf(PROMPT_TOKEN_IDS, promptTokenIds), promptTokenIds].filter(({ length }) => length > 0);
}

/** What stands before a field's content; nothing where there is none. */
function headOf(tag: number, { length }: Buffer): Buffer[] {
  if (length === 0) return [];
  const head = [tag];
  let rest = length;
  for (; rest > 0x7f; rest >>>= 7) head.push((rest & 0x7f) | 0x80);
  head.push(rest);
  return [Buffer.from(head)];
}

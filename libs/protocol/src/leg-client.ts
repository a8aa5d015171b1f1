import { Buffer } from 'node:buffer';

import { makeGenericClientConstructor } from '@grpc/grpc-js';

import {
  GenerateRequest,
  type LegServiceClient,
  LegServiceService,
  PrefillRequest,
} from './generated/roost/worker/v1/worker.js';

const NOTHING = Buffer.alloc(0);
/** Tags of the length-delimited fields `body` (3) and `prompt_token_ids` (8), which both messages number alike. */
const BODY = 0x1a;
const PROMPT_TOKEN_IDS = 0x42;

/** A message with its large fields. */
interface Large {
  readonly body: Buffer;
  readonly promptTokenIds: Buffer;
}

/**
 * The bytes of a context leg's message: what the generated encoder makes but for the order of the fields. Prompts are
 * copied once, where that one would copy them three times.
 */
export function encodePrefill(message: PrefillRequest): Buffer {
  const small = { ...message, body: NOTHING, promptTokenIds: NOTHING };
  return withLargeFields(PrefillRequest.encode(small).finish(), message);
}

/** The same for a generation leg. */
export function encodeGenerate(message: GenerateRequest): Buffer {
  const small = { ...message, body: NOTHING, promptTokenIds: NOTHING };
  return withLargeFields(GenerateRequest.encode(small).finish(), message);
}

/** The generated client, with these encoders. */
export const LegClient = makeGenericClientConstructor(
  {
    ...LegServiceService,
    prefill: { ...LegServiceService.prefill, requestSerialize: encodePrefill },
    generate: { ...LegServiceService.generate, requestSerialize: encodeGenerate },
  },
  'roost.worker.v1.LegService',
) as unknown as typeof LegServiceClient;

function withLargeFields(small: Uint8Array, { body, promptTokenIds }: Large): Buffer {
  const size = small.length + sizeOf(body) + sizeOf(promptTokenIds);
  const bytes = Buffer.allocUnsafe(size);
  bytes.set(small);
  const afterBody = writeField(bytes, small.length, BODY, body);
  writeField(bytes, afterBody, PROMPT_TOKEN_IDS, promptTokenIds);
  return bytes;
}

function sizeOf({ length }: Buffer): number {
  if (length === 0) return 0;
  let size = 2 + length;
  for (let rest = length >>> 7; rest > 0; rest >>>= 7) size += 1;
  return size;
}

/** The place after the field; a field without content is not written. */
function writeField(bytes: Buffer, at: number, tag: number, value: Buffer): number {
  if (value.length === 0) return at;
  let next = bytes.writeUInt8(tag, at);
  let rest = value.length;
  for (; rest > 0x7f; rest >>>= 7) next = bytes.writeUInt8((rest & 0x7f) | 0x80, next);
  next = bytes.writeUInt8(rest, next);
  bytes.set(value, next);
  return next + value.length;
}

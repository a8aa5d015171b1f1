import { blake3 } from '@noble/hashes/blake3.js';

import { type RouteRequest } from '../ports/fleet-router.js';

const KEY = new TextEncoder().encode('TensorRT-LLM-route-affinity-v1!!');
const PREFIX_TOKENS = 256;
const DIGEST_BYTES = 8;

/**
 * The key that a conversation is pinned by when only its content tells which one it is: an unsigned 64-bit number in
 * decimal, made of the contents of its first two messages and, where the prompt came as token ids, of the first 256 of
 * them (reference 2.3). Null for a request without messages. Conversations that begin alike have one key.
 */
export function contentPin({ pinText, promptTokenIds }: RouteRequest): string | null {
  if (pinText === undefined || pinText === null) return null;
  const text = pinText + listOf(promptTokenIds ?? []);
  const digest = blake3(new TextEncoder().encode(text), { key: KEY, dkLen: DIGEST_BYTES });
  return new DataView(digest.buffer, digest.byteOffset).getBigUint64(0, true).toString();
}

/** The first ids as Python writes a list; nothing where there are none. */
function listOf(ids: ArrayLike<number>): string {
  const first = Array.from({ length: Math.min(ids.length, PREFIX_TOKENS) }, (_, at) => ids[at]);
  return first.length === 0 ? '' : `[${first.join(', ')}]`;
}

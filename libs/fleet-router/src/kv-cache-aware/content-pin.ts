import { blake3 } from '@noble/hashes/blake3.js';

import { type RouteRequest } from '../ports/fleet-router.js';

const KEY = new TextEncoder().encode('TensorRT-LLM-route-affinity-v1!!');
const PREFIX_TOKENS = 256;
const DIGEST_BYTES = 8;

/** What a pin is made of. */
export type ContentPinSource = Pick<RouteRequest, 'contentPin' | 'pinText' | 'promptTokenIds'>;

/**
 * The key that a conversation is pinned by when only its content tells which one it is: an unsigned 64-bit number in
 * decimal, made of the contents of its first two messages and, where the prompt came as token ids, of the first 256 of
 * them (reference 2.3). Null for a request without messages. Conversations that begin alike have one key.
 */
export function contentPin({ contentPin: made, pinText, promptTokenIds }: ContentPinSource): string | null {
  if (made !== undefined) return made;
  if (pinText === undefined || pinText === null) return null;
  const text = pinText + listOf(promptTokenIds ?? []);
  const digest = blake3(new TextEncoder().encode(text), { key: KEY, dkLen: DIGEST_BYTES });
  return new DataView(digest.buffer, digest.byteOffset).getBigUint64(0, true).toString();
}

/**
 * {@link contentPin} of a chat request's parsed body; null for a body without messages. Content in parts counts
 * as their texts, whatever else stands in a part.
 */
export function contentPinOfBody({
  messages,
  prompt_token_ids: ids,
}: Readonly<Record<string, unknown>>): string | null {
  if (!Array.isArray(messages)) return null;
  const pinText = messages
    .slice(0, 2)
    .map((message: unknown) => contentOf(message))
    .join('');
  return contentPin({ pinText, promptTokenIds: Array.isArray(ids) ? (ids as number[]) : null });
}

function contentOf(message: unknown): string {
  const content = memberOf(message, 'content');
  return textOf(Array.isArray(content) ? content.map((part) => textOf(memberOf(part, 'text'))).join('') : content);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The first ids as Python writes a list; nothing where there are none. */
function listOf(ids: ArrayLike<number>): string {
  const first = Array.from({ length: Math.min(ids.length, PREFIX_TOKENS) }, (_, at) => ids[at]);
  return first.length === 0 ? '' : `[${first.join(', ')}]`;
}

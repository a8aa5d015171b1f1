import { isObject, type JsonObject } from '../json/json-object.js';
import { type Member, membersOf, writtenValue } from '../json/members.js';
import type { ParsedBody } from '../json/parse-object.js';

const HANDOFF = 'disaggregated_params';
const CONVERSATION = 'conversation_params';
const AFFINITY = 'subagent_affinity_id';

/** The key, or a letter or underscore that is escaped in some key or text, for which no client has cause. */
const MAYBE_AFFINITY = /subagent_affinity_id|\\u00[5-7]/;

/**
 * Removes the fields that only an edge may set (reference 3.1, 3.2) from a parsed body, and returns the bytes to forward:
 * the client's own where there was nothing to remove, else the same members, each as it was written, without those. A
 * repeated member loses them in every copy, also in those that no parser takes: whoever reads the bytes may.
 */
export function dropPrivateFields({ body, text, outside }: ParsedBody, bytes: Buffer): Buffer {
  const mayHaveAffinity =
    Object.hasOwn(body, CONVERSATION) && outside.some((part) => MAYBE_AFFINITY.test(part.toString('latin1')));
  if (!mayHaveAffinity && !Object.hasOwn(body, HANDOFF)) return bytes;
  Reflect.deleteProperty(body, HANDOFF);
  if (isObject(body[CONVERSATION])) Reflect.deleteProperty(body[CONVERSATION], AFFINITY);
  const members = [...membersOf(text())];
  const kept = members.filter(({ key }) => key !== HANDOFF).map(withoutAffinity);
  const isSame = kept.length === members.length && kept.every((written, at) => written === members[at]?.text);
  return isSame ? bytes : Buffer.from(`{${kept.join(',')}}`);
}

/**
 * The body's `conversation_params` with a numeric id as the text that the client wrote, so that an id of many digits is
 * not taken for another one.
 */
export function readConversationParams(body: JsonObject, text: () => string): unknown {
  const params = body[CONVERSATION];
  if (!isObject(params)) return params;
  const id = params['conversation_id'];
  if (typeof id !== 'number' || Number.isSafeInteger(id)) return params;
  const written = writtenValue(writtenValue(text(), CONVERSATION) ?? '{}', 'conversation_id');
  return { ...params, conversation_id: written };
}

/** How a member is written without the key; as it was where it does not have it. */
function withoutAffinity({ key, text, valueText }: Member): string {
  if (key !== CONVERSATION || !valueText.startsWith('{')) return text;
  const members = [...membersOf(valueText)];
  const kept = members.filter((member) => member.key !== AFFINITY);
  if (kept.length === members.length) return text;
  return `"${CONVERSATION}":{${kept.map((member) => member.text).join(',')}}`;
}

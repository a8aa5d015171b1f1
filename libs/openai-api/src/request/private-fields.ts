import { isObject, type JsonObject } from '../json/json-object.js';
import { membersOf, writtenValue } from '../json/members.js';

const HANDOFF = 'disaggregated_params';
const CONVERSATION = 'conversation_params';
const AFFINITY = 'subagent_affinity_id';

/**
 * Removes the fields that only an edge may set (reference 3.1, 3.2) from a parsed body, and returns the bytes to forward:
 * the client's own where there was nothing to remove, else the same members, each as it was written, without those.
 */
export function dropPrivateFields(body: JsonObject, text: () => string, bytes: Buffer): Buffer {
  const conversation = body[CONVERSATION];
  const hasAffinity = isObject(conversation) && Object.hasOwn(conversation, AFFINITY);
  if (!hasAffinity && !Object.hasOwn(body, HANDOFF)) return bytes;
  Reflect.deleteProperty(body, HANDOFF);
  if (hasAffinity) Reflect.deleteProperty(conversation, AFFINITY);
  const kept: string[] = [];
  for (const member of membersOf(text())) {
    if (member.key === CONVERSATION) kept.push(`"${CONVERSATION}":${withoutAffinity(member.valueText)}`);
    else if (member.key !== HANDOFF) kept.push(member.text);
  }
  return Buffer.from(`{${kept.join(',')}}`);
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

function withoutAffinity(text: string): string {
  if (!text.startsWith('{')) return text;
  const kept = [...membersOf(text)].filter(({ key }) => key !== AFFINITY);
  return `{${kept.map((member) => member.text).join(',')}}`;
}

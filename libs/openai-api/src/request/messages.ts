import { isObject, type JsonObject } from '../json/json-object.js';

import { codePoints } from './code-points.js';
import type { PromptContent } from './prompt-content.js';
import { invalid, unsupported } from './refusal.js';
import { readTokenIds } from './token-ids.js';
import { checkToolCalls } from './tools.js';

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

interface Message {
  readonly role: string;
  readonly content?: string | null | readonly Part[];
}

interface Part {
  readonly text?: string;
  readonly refusal?: string;
}

/**
 * The prompt of a chat request. Looks at each message once.
 *
 * @param again the same body, for whoever wants its text
 * @throws RoostError naming the message, and the part of it, at fault
 */
export function readMessages(body: JsonObject, again: () => JsonObject): PromptContent {
  const { messages } = body;
  if (messages === undefined || messages === null) throw invalid('messages', 'messages is required');
  if (!Array.isArray(messages)) throw invalid('messages', 'messages must be a list');
  if (messages.length === 0) throw invalid('messages', 'messages must not be empty');
  // One line break between each two messages.
  let textChars = messages.length - 1;
  for (let index = 0; index < messages.length; index += 1) textChars += checkMessage(messages[index], index);
  return {
    promptTokenIds: readPromptTokenIds(body['prompt_token_ids']),
    textChars,
    canonicalText: () => (again()['messages'] as Message[]).map(line).join('\n'),
  };
}

function readPromptTokenIds(ids: unknown): number[] | null {
  if (ids === undefined || ids === null) return null;
  if (!Array.isArray(ids) || ids.length === 0) {
    throw invalid('prompt_token_ids', 'prompt_token_ids must be a list of at least one token id');
  }
  return readTokenIds(ids, 'prompt_token_ids');
}

/** The length of a message's line in the canonical text. Paths are made on failure only: conversations are long. */
function checkMessage(message: unknown, index: number): number {
  if (!isObject(message)) throw invalid(at(index), `${at(index)} must be an object`);
  const { role, content } = message;
  if (!ROLES.has(role)) {
    throw invalid(at(index, 'role'), `${at(index, 'role')} must be one of ${[...ROLES].join(', ')}`);
  }
  checkMessageFields(message, index);
  const chars = typeof content === 'string' ? codePoints(content) : contentChars(message, index);
  return (role as string).length + 1 + chars;
}

function checkMessageFields(message: JsonObject, index: number): void {
  const { role, name, audio } = message;
  const calls = message['tool_calls'] ?? undefined;
  if (typeof (name ?? '') !== 'string') throw invalid(at(index, 'name'), `${at(index, 'name')} must be a string`);
  if ((audio ?? undefined) !== undefined)
    throw unsupported(at(index, 'audio'), `${at(index, 'audio')} is not supported`);
  if (role === 'tool' && typeof message['tool_call_id'] !== 'string') {
    throw invalid(at(index, 'tool_call_id'), `${at(index, 'tool_call_id')} must be a string`);
  }
  if (calls === undefined) return;
  if (role !== 'assistant') {
    throw invalid(at(index, 'tool_calls'), `${at(index, 'tool_calls')} is for messages of the assistant only`);
  }
  checkToolCalls(calls, at(index, 'tool_calls'));
}

function contentChars(message: JsonObject, index: number): number {
  const content = message['content'] ?? null;
  const field = at(index, 'content');
  if (content === null) {
    const { tool_calls: calls, refusal } = message;
    const hasSubstance = (Array.isArray(calls) && calls.length > 0) || typeof refusal === 'string';
    if (message['role'] === 'assistant' && hasSubstance) return 0;
    throw invalid(field, `${field} is required, but for a message of the assistant with tool_calls`);
  }
  if (!Array.isArray(content)) throw invalid(field, `${field} must be a string or a list of text parts`);
  if (content.length === 0) throw invalid(field, `${field} must not be empty`);
  let chars = 0;
  for (const [part, value] of content.entries()) chars += partChars(value, index, part);
  return chars;
}

function partChars(part: unknown, index: number, number: number): number {
  if (isObject(part)) {
    if (part['type'] === 'text' && typeof part['text'] === 'string') return codePoints(part['text']);
    if (part['type'] === 'refusal' && typeof part['refusal'] === 'string') return codePoints(part['refusal']);
  }
  const field = `${at(index, 'content')}[${String(number)}]`;
  const type = isObject(part) ? part['type'] : undefined;
  if (typeof type !== 'string') throw invalid(field, `${field} must be an object with a type`);
  if (type === 'text' || type === 'refusal') throw invalid(`${field}.${type}`, `${field}.${type} must be a string`);
  throw unsupported(field, `${field} is of type ${JSON.stringify(type.slice(0, 40))}; only "text" is supported`);
}

function line({ role, content }: Message): string {
  if (typeof content === 'string') return `${role}:${content}`;
  return `${role}:${(content ?? []).map((part) => part.text ?? part.refusal).join('')}`;
}

function at(index: number, field?: string): string {
  return `messages[${String(index)}]${field === undefined ? '' : `.${field}`}`;
}

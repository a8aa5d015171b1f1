import { InvalidPrompt } from './invalid-prompt.js';
import { isObject } from './is-object.js';
import { renderContent } from './render-content.js';
import { renderToolCalls } from './render-tool-calls.js';
import { renderTools } from './render-tools.js';
import type { Segment } from './segment.js';
import { CONTROL } from './vocabulary.js';

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

/**
 * Renders a chat request: its tools, its messages, and the header of the answer to come. Every message is rendered alike
 * whatever follows it, and an answer goes where the assistant's message will have it, so the next turn's prompt is this
 * prompt, the answer, the end of the message, and what is new.
 *
 * @throws InvalidPrompt when a message is malformed or holds something other than text, naming the field
 */
export function* renderChat(body: Readonly<Record<string, unknown>>): Generator<Segment> {
  const { messages, tools } = body;
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new InvalidPrompt('invalid_request', 'messages must be a list of at least one message', 'messages');
  }
  yield* renderTools(tools);
  for (const [index, message] of messages.entries()) {
    yield* renderMessage(message, `messages[${String(index)}]`);
  }
  yield CONTROL.messageStart;
  yield 'assistant';
  yield CONTROL.headerEnd;
}

function* renderMessage(message: unknown, path: string): Generator<Segment> {
  if (!isObject(message)) {
    throw new InvalidPrompt('invalid_request', `${path} must be an object`, path);
  }
  yield CONTROL.messageStart;
  yield header(message, path);
  yield CONTROL.headerEnd;
  yield* renderContent(message['content'], `${path}.content`);
  if (message['role'] === 'assistant') {
    yield* renderToolCalls(message['tool_calls'], `${path}.tool_calls`);
  }
  yield CONTROL.messageEnd;
}

/** The author of a message: the role, and for whom a tool answers or what a participant is called. */
function header(message: Record<string, unknown>, path: string): string {
  const { role } = message;
  if (typeof role !== 'string' || !ROLES.has(role)) {
    throw new InvalidPrompt('invalid_request', `${path}.role must be one of ${[...ROLES].join(', ')}`, `${path}.role`);
  }
  const detail = message[role === 'tool' ? 'tool_call_id' : 'name'];
  return typeof detail === 'string' ? `${role} ${detail}` : role;
}

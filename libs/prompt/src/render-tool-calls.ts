import { InvalidPrompt } from './invalid-prompt.js';
import { isObject } from './is-object.js';
import type { Segment } from './segment.js';
import { CONTROL } from './vocabulary.js';

/**
 * The calls that an assistant's message makes.
 *
 * @throws InvalidPrompt when they are not a list of function calls
 */
export function* renderToolCalls(calls: unknown, path: string): Generator<Segment> {
  if (calls === undefined || calls === null) return;
  if (!Array.isArray(calls)) {
    throw new InvalidPrompt('invalid_request', `${path} must be a list`, path);
  }
  for (const [index, call] of calls.entries()) {
    const at = `${path}[${String(index)}]`;
    const { name, text } = readCall(call, at);
    yield CONTROL.toolCall;
    yield name;
    yield CONTROL.headerEnd;
    yield text;
  }
}

function readCall(call: unknown, path: string): { name: string; text: string } {
  const target = isObject(call) ? call['function'] : undefined;
  if (!isObject(call) || !isObject(target)) {
    throw new InvalidPrompt('invalid_request', `${path} must be a function call`, path);
  }
  const { name, arguments: text } = target;
  if (typeof name !== 'string' || typeof text !== 'string') {
    throw new InvalidPrompt(
      'invalid_request',
      `${path}.function must have a name and arguments, both strings`,
      `${path}.function`,
    );
  }
  const id = typeof call['id'] === 'string' ? ` ${call['id']}` : '';
  return { name: name + id, text };
}

import { InvalidPrompt } from './invalid-prompt.js';
import { isObject } from './is-object.js';
import type { Segment } from './segment.js';
import { stableJson } from './stable-json.js';
import { CONTROL } from './vocabulary.js';

/**
 * The system part that declares a request's tools, in the client's order; nothing without tools.
 *
 * @throws InvalidPrompt when `tools` is not a list of objects
 */
export function* renderTools(tools: unknown): Generator<Segment> {
  if (tools === undefined || tools === null) return;
  if (!Array.isArray(tools)) {
    throw new InvalidPrompt('invalid_request', 'tools must be a list', 'tools');
  }
  if (tools.length === 0) return;
  yield CONTROL.messageStart;
  yield 'tools';
  yield CONTROL.headerEnd;
  for (const [index, tool] of tools.entries()) {
    yield CONTROL.tool;
    yield toolText(tool, `tools[${String(index)}]`);
  }
  yield CONTROL.messageEnd;
}

function toolText(tool: unknown, path: string): string {
  if (!isObject(tool)) {
    throw new InvalidPrompt('invalid_request', `${path} must be an object`, path);
  }
  try {
    return stableJson(tool);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InvalidPrompt('invalid_request', `${path} is ${error.message}`, path);
  }
}

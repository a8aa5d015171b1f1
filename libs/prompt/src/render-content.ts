import { InvalidPrompt } from './invalid-prompt.js';
import { isObject } from './is-object.js';

/**
 * The texts of a message's `content`: a string, null, or a list of text parts.
 *
 * @throws InvalidPrompt for anything else, naming the part
 */
export function renderContent(content: unknown, path: string): string[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) {
    throw new InvalidPrompt('invalid_request', `${path} must be a string or a list of content parts`, path);
  }
  return content.map((part, index) => renderPart(part, `${path}[${String(index)}]`));
}

function renderPart(part: unknown, path: string): string {
  const kind = isObject(part) ? part['type'] : undefined;
  if (!isObject(part) || typeof kind !== 'string') {
    throw new InvalidPrompt('invalid_request', `${path} must be an object with a type`, path);
  }
  if (kind !== 'text' && kind !== 'refusal') {
    throw new InvalidPrompt(
      'unsupported_parameter',
      `${path} is of type ${JSON.stringify(kind.slice(0, 40))}; this model reads text only`,
      path,
    );
  }
  const text = part[kind];
  if (typeof text !== 'string') {
    throw new InvalidPrompt('invalid_request', `${path}.${kind} must be a string`, `${path}.${kind}`);
  }
  return text;
}

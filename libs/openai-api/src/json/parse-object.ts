import { isUtf8 } from 'node:buffer';

import { RoostError } from '@roost/protocol';

import { locateSyntaxError } from './syntax-error.js';

/** A parsed JSON object, of which nothing is known. */
export type JsonObject = Record<string, unknown>;

/** Whether a parsed value is a JSON object: not null, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The text of a body and the JSON object in it.
 *
 * @throws RoostError `invalid_json` for bytes that are not UTF-8 or not JSON, with the place of the mistake, unless the body is very long;
 * `invalid_request` for JSON that is not an object
 */
export function parseObject(bytes: Buffer): { text: string; body: JsonObject } {
  if (!isUtf8(bytes)) throw new RoostError('invalid_json', 'The body is not valid UTF-8');
  const text = bytes.toString();
  const body = parse(text);
  if (!isObject(body)) throw new RoostError('invalid_request', 'The body must be a JSON object');
  return { text, body };
}

/** Finding a mistake takes some twenty times as long as parsing, and is for people, who do not read bodies of megabytes. */
const MAX_LOCATED = 1_000_000;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const place = text.length > MAX_LOCATED ? null : locateSyntaxError(text);
    const what = place?.position === text.length ? 'unexpected end' : 'unexpected character';
    const where =
      place === null
        ? ''
        : `: ${what} at position ${String(place.position)} (line ${String(place.line)}, column ${String(place.column)})`;
    throw new RoostError('invalid_json', `The body is not valid JSON${where}`, { cause });
  }
}

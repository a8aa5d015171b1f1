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
 * @throws RoostError `invalid_json` for bytes that are not UTF-8 or not JSON, with the place of the mistake;
 * `invalid_request` for JSON that is not an object
 */
export function parseObject(bytes: Buffer): { text: string; body: JsonObject } {
  if (!isUtf8(bytes)) throw new RoostError('invalid_json', 'The body is not valid UTF-8');
  const text = bytes.toString();
  const body = parse(text);
  if (!isObject(body)) throw new RoostError('invalid_request', 'The body must be a JSON object');
  return { text, body };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const place = locateSyntaxError(text);
    const what = place?.position === text.length ? 'unexpected end' : 'unexpected character';
    const where =
      place === null
        ? ''
        : `: ${what} at position ${String(place.position)} (line ${String(place.line)}, column ${String(place.column)})`;
    throw new RoostError('invalid_json', `The body is not valid JSON${where}`, { cause });
  }
}

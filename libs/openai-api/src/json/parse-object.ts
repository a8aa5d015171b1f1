import { isUtf8 } from 'node:buffer';

import { RoostError } from '@roost/protocol';

import { isObject, type JsonObject } from './json-object.js';
import { parseLong } from './parse-long.js';
import { locateSyntaxError } from './syntax-error.js';

/** What a body says, and how it is written. */
export interface ParsedBody {
  readonly body: JsonObject;
  /** Made only where it is needed: of a long body it costs as much as all the rest. */
  readonly text: () => string;
  /** Parts of the body in which every member but `messages` is written: of a long conversation, a fraction of it. */
  readonly outside: readonly Buffer[];
}

/** Of bytes: below, a body is parsed fastest in one piece. */
const LONG = 128_000;

/**
 * The JSON object in a body.
 *
 * @throws RoostError `invalid_json` for bytes that are not UTF-8 or not JSON, with the place of the mistake, unless the body is very long;
 * `invalid_request` for JSON that is not an object
 */
export function parseObject(bytes: Buffer): ParsedBody {
  if (!isUtf8(bytes)) throw new RoostError('invalid_json', 'The body is not valid UTF-8');
  const long = bytes.length < LONG ? null : parseLong(bytes);
  if (long !== null) return { ...long, text: () => bytes.toString() };
  const text = bytes.toString();
  const body = parse(text);
  if (!isObject(body)) throw new RoostError('invalid_request', 'The body must be a JSON object');
  return { body, text: () => text, outside: [bytes] };
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

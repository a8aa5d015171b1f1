import { isUtf8 } from 'node:buffer';

import { stripWhiteSpace } from './white-space.js';

/** Request headers, names in any case. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The wanted headers of a request by lower-case name: per name its first value that is not blank, stripped. */
export function readHeaders(headers: Headers, wanted: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, values] of Object.entries(headers)) {
    const key = name.toLowerCase();
    if (values === undefined || !wanted.includes(key) || found.has(key)) continue;
    const value = [values].flat().map(decodeHeaderValue).map(stripWhiteSpace).find(Boolean);
    if (value !== undefined) found.set(key, value);
  }
  return found;
}

/**
 * The text of a header value. Node hands out one character per byte; bytes that are UTF-8 are decoded, so that an id is
 * the same whether it came in a header or in a JSON body. Other bytes stay one character each.
 */
function decodeHeaderValue(value: string): string {
  if (!/[\x80-\xff]/.test(value) || /[^\0-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : value;
}

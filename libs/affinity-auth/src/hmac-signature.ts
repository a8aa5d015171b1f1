import { createHmac, timingSafeEqual } from 'node:crypto';

const PREFIX = 'sha256=';

/**
 * The signature of a text under a shared key: `sha256=` and 64 lower-case hex digits (reference 4.3).
 *
 * @throws RangeError for an empty key, which anybody could sign with
 */
export function sign(key: string, text: string): string {
  if (key === '') throw new RangeError('internal_request_auth_key must be a non-empty string');
  return PREFIX + createHmac('sha256', key).update(text).digest('hex');
}

/**
 * Whether `signature` is that of `text` under one of `keys`. The time taken tells nothing of the right signature nor of
 * which key made it. Any text may be given as a signature; no key means no.
 *
 * @throws RangeError for an empty key
 */
export function verify(keys: readonly string[], text: string, signature: string): boolean {
  const given = Buffer.from(signature);
  let matches = 0;
  // Every key is tried, also after a match: stopping would tell how many keys come before the one in use.
  for (const key of keys) {
    const expected = Buffer.from(sign(key, text));
    matches += given.length === expected.length && timingSafeEqual(given, expected) ? 1 : 0;
  }
  return matches > 0;
}

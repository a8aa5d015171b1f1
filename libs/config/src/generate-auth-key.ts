import { randomBytes } from 'node:crypto';

/** Draws a key of 256 bits for a combined launch of a file that says `internal_request_auth_key: generate`. */
export function generateAuthKey(): string {
  return randomBytes(32).toString('base64url');
}

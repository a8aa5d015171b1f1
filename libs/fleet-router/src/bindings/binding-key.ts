import { createHash } from 'node:crypto';

const MAX_CHARACTERS = 256;

/**
 * The key under which a routing key is bound: the id itself, or, past 256 characters, its digest, so that long ids from
 * clients cannot fill the memory that `max_sessions` bounds.
 */
export function bindingKey(id: string): string {
  if (id.length <= MAX_CHARACTERS) return id;
  return `sha256:${createHash('sha256').update(id, 'utf16le').digest('hex')}`;
}

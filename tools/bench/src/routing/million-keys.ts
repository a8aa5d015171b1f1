import { randomBytes } from 'node:crypto';

/** Bindings that a router is measured with, and keys that they have. */
export const BINDINGS = 1_000_000;

/** As many characters as a UUID has, two a byte. */
const KEY_BYTES = 18;

/** Coprime to the number of bindings: visits all keys in an order that no cache foresees. */
const STRIDE = 618_033;

/** New keys of 36 characters: flat strings that share nothing, as they come out of a request. */
export function freshKeys(): string[] {
  const bytes = randomBytes(KEY_BYTES * BINDINGS);
  return Array.from({ length: BINDINGS }, (_, at) => bytes.toString('hex', KEY_BYTES * at, KEY_BYTES * (at + 1)));
}

/** Equal keys, as they come out of later requests: serialising and parsing makes strings of their own. */
export function sameKeys(keys: readonly string[]): string[] {
  return JSON.parse(JSON.stringify(keys)) as string[];
}

/** The keys in another order, which is always the same. */
export function keysInAnyOrder(keys: readonly string[]): string[] {
  return keys.map((_, at) => keys[(at * STRIDE) % keys.length] ?? '');
}

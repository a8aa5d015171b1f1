import { randomUUID } from 'node:crypto';

/** Bindings that a router is measured with, and keys that they have. */
export const BINDINGS = 1_000_000;

/** Coprime to the number of bindings: visits all keys in an order that no cache foresees. */
const STRIDE = 618_033;

/** New keys of 36 characters: flat strings that share nothing, as they come out of a request. */
export function freshKeys(): string[] {
  return sameKeys(Array.from({ length: BINDINGS }, () => randomUUID()));
}

/** Equal keys, as they come out of later requests: serialising and parsing makes strings of their own. */
export function sameKeys(keys: readonly string[]): string[] {
  return JSON.parse(JSON.stringify(keys)) as string[];
}

/** The keys in another order, which is always the same. */
export function keysInAnyOrder(keys: readonly string[]): string[] {
  return keys.map((_, at) => keys[(at * STRIDE) % keys.length] ?? '');
}

/**
 * An equal string that shares no memory with others: a key cut out of a header or a body would keep all of that alive
 * for as long as the key is kept.
 */
export function ownCopy(key: string): string {
  const encoding = /[^\0-\xff]/.test(key) ? 'utf16le' : 'latin1';
  return Buffer.from(key, encoding).toString(encoding);
}

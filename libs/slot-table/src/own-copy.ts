const scratch = Buffer.allocUnsafe(1024);

/**
 * An equal string that shares no memory with others: a key cut out of a header or a body would keep all of that alive
 * for as long as the key is kept.
 */
export function ownCopy(key: string): string {
  if (key.length > scratch.length) return copyThrough('utf16le', key);
  // Faster than to look for characters beyond a byte first, and to make a new buffer for each key.
  const copy = scratch.toString('latin1', 0, scratch.write(key, 'latin1'));
  return copy === key ? copy : copyThrough('utf16le', key);
}

function copyThrough(encoding: BufferEncoding, key: string): string {
  return Buffer.from(key, encoding).toString(encoding);
}

/** What a signed field may hold; a `number` must be a safe integer. */
export type CanonicalValue = string | bigint | number | boolean | null;

/**
 * The one text of a flat object that both sides of a signature compute: keys in code point order, no white space, and
 * nothing but printable ASCII (reference 4.3, Python's `json.dumps` with `sort_keys` and `separators=(",", ":")`).
 *
 * @throws RangeError for a number that is not a safe integer
 */
export function canonicalJson(fields: Readonly<Record<string, CanonicalValue>>): string {
  const members = Object.keys(fields)
    .sort(compareCodePoints)
    .map((key) => `${quote(key)}:${print(fields[key] ?? null)}`);
  return `{${members.join(',')}}`;
}

function print(value: CanonicalValue): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new RangeError(`${String(value)} is not a safe integer`);
  }
  return String(value);
}

function quote(text: string): string {
  // JSON.stringify already escapes control characters and lone surrogates the way Python does.
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function compareCodePoints(left: string, right: string): number {
  const [a, b] = [Array.from(left), Array.from(right)];
  for (const [index, character] of a.entries()) {
    const difference = (character.codePointAt(0) ?? 0) - (b[index]?.codePointAt(0) ?? -1);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

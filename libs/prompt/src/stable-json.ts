const MAX_DEPTH = 64;

/**
 * JSON with the keys of every object in code unit order, so that equal values have equal texts however a client orders
 * them.
 *
 * @throws RangeError past a depth of 64
 */
export function stableJson(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) {
    throw new RangeError(`nested deeper than ${String(MAX_DEPTH)}`);
  }
  if (Array.isArray(value)) {
    return `[${value.map((item) => stableJson(item, depth + 1)).join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${stableJson(member, depth + 1)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}

/** A value as JSON in one line, bigints as integers. */
export function showValue(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(showValue).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${showValue(member)}`);
    return `{${members.join(',')}}`;
  }
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

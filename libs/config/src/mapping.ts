/** A mapping as YAML gives it. */
export type Mapping = Record<string, unknown>;

/** Whether a value is a mapping, and not a list, a date or anything else that is an object too. */
export function isMapping(value: unknown): value is Mapping {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value) as unknown;
  return prototype === Object.prototype || prototype === null;
}

/** A copy that shares nothing with the original, not even what the original refers to twice. */
export function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isMapping(value)) return value;
  const copy: Mapping = {};
  for (const [key, inner] of Object.entries(value)) put(copy, key, copyOf(inner));
  return copy;
}

/** Sets a key as the mapping's own, whatever it is called. */
export function put(mapping: Mapping, key: string, value: unknown): void {
  Object.defineProperty(mapping, key, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}

/** A key's own value, or undefined. */
export function own(mapping: Mapping, key: string): unknown {
  return Object.hasOwn(mapping, key) ? mapping[key] : undefined;
}

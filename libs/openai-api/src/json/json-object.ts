/** A parsed JSON object, of which nothing is known. */
export type JsonObject = Record<string, unknown>;

/** Whether a parsed value is a JSON object: not null, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The value of a JSON text, with integers that a JavaScript number cannot hold as bigints.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseJson(text: string): unknown {
  return JSON.parse(text, keepInteger as (key: string, value: unknown) => unknown);
}

function keepInteger(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  const { source = '' } = context;
  const isRounded = typeof value === 'number' && /^-?\d+$/.test(source) && !Number.isSafeInteger(value);
  return isRounded ? BigInt(source) : value;
}

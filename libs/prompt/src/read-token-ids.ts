import { InvalidPrompt } from './invalid-prompt.js';

/**
 * Token ids that a client gives instead of text.
 *
 * @param param the request field that they are in
 * @param vocabularySize ids are integers from 0 to one less
 * @throws InvalidPrompt unless they are a list of such ids, naming the first that is not
 */
export function readTokenIds(value: unknown, param: string, vocabularySize: number): Uint32Array {
  if (!Array.isArray(value)) {
    throw new InvalidPrompt(
      'invalid_request',
      `${param} must be a ${param === 'prompt' ? 'text or a ' : ''}list of token ids`,
      param,
    );
  }
  const wrong = value.findIndex(
    (id) => !(Number.isInteger(id) && (id as number) >= 0 && (id as number) < vocabularySize),
  );
  if (wrong >= 0) {
    throw new InvalidPrompt(
      'invalid_request',
      `${param}[${String(wrong)}] is not an integer from 0 to ${String(vocabularySize - 1)}`,
      `${param}[${String(wrong)}]`,
    );
  }
  return Uint32Array.from(value as number[]);
}

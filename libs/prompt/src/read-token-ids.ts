import { InvalidPrompt } from './invalid-prompt.js';
import { VOCABULARY_SIZE } from './vocabulary.js';

/**
 * Token ids that a client gives instead of text.
 *
 * @throws InvalidPrompt unless they are a list of ids of the vocabulary, naming the first that is not
 */
export function readTokenIds(value: unknown, param: string): Uint32Array {
  if (!Array.isArray(value)) {
    throw new InvalidPrompt(
      'invalid_request',
      `${param} must be a ${param === 'prompt' ? 'text or a ' : ''}list of token ids`,
      param,
    );
  }
  const wrong = value.findIndex((id) => !isTokenId(id));
  if (wrong >= 0) {
    throw new InvalidPrompt(
      'invalid_request',
      `${param}[${String(wrong)}] is not an integer from 0 to ${String(VOCABULARY_SIZE - 1)}`,
      `${param}[${String(wrong)}]`,
    );
  }
  return Uint32Array.from(value as number[]);
}

function isTokenId(id: unknown): boolean {
  return Number.isInteger(id) && (id as number) >= 0 && (id as number) < VOCABULARY_SIZE;
}

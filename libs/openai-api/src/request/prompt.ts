import type { JsonObject } from '../json/json-object.js';

import { codePoints } from './code-points.js';
import type { PromptContent } from './prompt-content.js';
import { invalid } from './refusal.js';
import { readTokenIds } from './token-ids.js';

/**
 * The prompt of a completions request (reference 3.1): one string, or one list of token ids, either of them maybe alone in
 * a list.
 *
 * @param again the same body, for whoever wants its text
 * @throws RoostError `invalid_request` for any other prompt
 */
export function readPrompt(body: JsonObject, again: () => JsonObject): PromptContent {
  const prompt = unwrap(body['prompt']);
  if (typeof prompt === 'string') return textContent(prompt, () => unwrap(again()['prompt']) as string);
  if (!Array.isArray(prompt) || typeof prompt[0] !== 'number') {
    throw invalid(
      'prompt',
      'Disaggregated server currently only supports single string prompt or list of integers in request',
    );
  }
  return tokenContent(readTokenIds(prompt, 'prompt'));
}

/** What a token counts for where requests are weighed by their characters (reference 2.4). */
const CHARS_PER_TOKEN = 5;

function unwrap(value: unknown): unknown {
  if (value === undefined || value === null) throw invalid('prompt', 'prompt is required');
  const [only] = Array.isArray(value) && value.length === 1 ? (value as unknown[]) : [];
  const prompt = typeof only === 'string' || Array.isArray(only) ? only : value;
  if (prompt === '') throw invalid('prompt', 'prompt must not be empty');
  if (Array.isArray(prompt) && prompt.length === 0) {
    throw invalid('prompt', 'Disaggregated server does not support empty prompt list');
  }
  return prompt;
}

function textContent(prompt: string, canonicalText: () => string): PromptContent {
  return { promptTokenIds: null, textChars: codePoints(prompt), canonicalText };
}

function tokenContent(ids: number[]): PromptContent {
  return { promptTokenIds: ids, textChars: ids.length * CHARS_PER_TOKEN, canonicalText: () => ids.join(' ') };
}

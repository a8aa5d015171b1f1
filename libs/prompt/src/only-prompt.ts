import { InvalidPrompt } from './invalid-prompt.js';

/**
 * The prompt of a completions request, which may have it in a list of one: a text, token ids, or whatever else is there.
 *
 * @throws InvalidPrompt for a list of several prompts
 */
export function onlyPrompt(prompt: unknown): unknown {
  if (!Array.isArray(prompt)) return prompt;
  const first: unknown = prompt[0];
  if (typeof first !== 'string' && !Array.isArray(first)) return prompt;
  if (prompt.length > 1) {
    throw new InvalidPrompt(
      'unsupported_parameter',
      `prompt holds ${String(prompt.length)} prompts; send one a request`,
      'prompt',
    );
  }
  return first;
}

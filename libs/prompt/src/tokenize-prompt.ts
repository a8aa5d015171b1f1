import { setImmediate } from 'node:timers/promises';

import { InvalidPrompt } from './invalid-prompt.js';
import { onlyPrompt } from './only-prompt.js';
import { concatenate, type PromptEncoder } from './prompt-encoder.js';
import { readTokenIds } from './read-token-ids.js';
import { renderChat } from './render-chat.js';
import type { Segment } from './segment.js';
import { VOCABULARY_SIZE } from './vocabulary.js';

/** The name of the rendering and vocabulary here. Edge and worker must agree on it before an edge tokenises for a worker. */
export const PROMPT_FORMAT = 'roost-chat-1/cl100k_base';

/** Tokens encoded between two turns of the event loop: a few milliseconds' worth. */
const TOKENS_A_TURN = 4096;

/** A client's request as far as its prompt is concerned. */
export interface PromptSource {
  readonly endpoint: 'chat' | 'completions';
  /** The client's parsed JSON body. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * The tokens of a request's prompt: `prompt_token_ids` where given, else the messages rendered, or the completion prompt
 * (text, or a list of token ids). Long prompts are encoded in short steps between which others have their turn.
 *
 * @param maxTokens a text of more tokens is refused as soon as that is known, since encoding it may take many seconds
 * @throws InvalidPrompt naming the field at fault
 */
export async function tokenizePrompt(
  encoder: PromptEncoder,
  source: PromptSource,
  maxTokens = Infinity,
): Promise<Uint32Array> {
  const { chat_template: template } = source.body;
  if (template !== undefined && template !== null) {
    throw new InvalidPrompt('unsupported_parameter', 'chat_template is not supported by this engine', 'chat_template');
  }
  const tokens = await tokensOf(encoder, source, maxTokens);
  if (tokens.length === 0) throw new InvalidPrompt('invalid_request', 'prompt is empty', 'prompt');
  return tokens;
}

async function tokensOf(
  encoder: PromptEncoder,
  { endpoint, body }: PromptSource,
  maxTokens: number,
): Promise<Uint32Array> {
  const { prompt_token_ids: ids } = body;
  if (ids !== undefined && ids !== null) {
    return readTokenIds(ids, 'prompt_token_ids', VOCABULARY_SIZE);
  }
  if (endpoint === 'chat') return encodeInTurns(encoder, renderChat(body), { maxTokens, param: 'messages' });
  const prompt = onlyPrompt(body['prompt']);
  return typeof prompt === 'string'
    ? encodeInTurns(encoder, [prompt], { maxTokens, param: 'prompt' })
    : readTokenIds(prompt, 'prompt', VOCABULARY_SIZE);
}

async function encodeInTurns(
  encoder: PromptEncoder,
  segments: Iterable<Segment>,
  { maxTokens, param }: { maxTokens: number; param: string },
): Promise<Uint32Array> {
  const parts: Uint32Array[] = [];
  let tokens = 0;
  let turnEnd = TOKENS_A_TURN;
  for (const part of encoder.encodeInSteps(segments)) {
    parts.push(part);
    tokens += part.length;
    if (tokens > maxTokens) throw tooLong(maxTokens, param);
    if (tokens >= turnEnd) {
      turnEnd = tokens + TOKENS_A_TURN;
      await setImmediate();
    }
  }
  return concatenate(parts);
}

function tooLong(maxTokens: number, param: string): InvalidPrompt {
  const message = `the model's context is ${String(maxTokens)} tokens; the prompt has more: shorten it`;
  return new InvalidPrompt('context_length_exceeded', message, param);
}

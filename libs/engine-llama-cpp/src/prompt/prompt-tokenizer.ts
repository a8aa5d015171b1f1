import { type ConversationTurn, EngineRefusal } from '@roost/engine';

import type { OpenModel } from '../model/open-model.js';

import { ChatTemplate } from './chat-template.js';
import { ControlTextGuard } from './control-text-guard.js';

/** Makes the tokens of requests with the vocabulary and the chat template of a model's file. */
export class PromptTokenizer {
  private readonly guard: ControlTextGuard;
  private readonly template: ChatTemplate | null;

  constructor(private readonly open: OpenModel) {
    const { vocabulary, chatTemplate, runtime, model } = open;
    this.guard = new ControlTextGuard(vocabulary.controlTexts);
    const texts = { bos: model.tokens.bosString, eos: model.tokens.eosString };
    this.template = chatTemplate === null ? null : new ChatTemplate(chatTemplate, runtime.jinja, texts, this.guard);
  }

  /**
   * The tokens of a request's prompt: `prompt_token_ids` where given, else the messages through the template, or the
   * completion prompt (text, or a list of token ids).
   *
   * @throws EngineRefusal naming the field at fault
   */
  tokenize({ endpoint, body }: ConversationTurn): Uint32Array {
    if (body['chat_template'] !== undefined && body['chat_template'] !== null) {
      const message = "chat_template is not supported: the model's own is used";
      throw new EngineRefusal('unsupported_parameter', message, 'chat_template');
    }
    const tokens = this.tokensOf(endpoint, body);
    if (tokens.length === 0) throw new EngineRefusal('invalid_request', 'prompt is empty', 'prompt');
    return Uint32Array.from(tokens);
  }

  private tokensOf(endpoint: ConversationTurn['endpoint'], body: ConversationTurn['body']): readonly number[] {
    const { prompt_token_ids: ids } = body;
    if (ids !== undefined && ids !== null) return this.readIds(ids, 'prompt_token_ids');
    if (endpoint === 'chat') return this.chat(body);
    const prompt = onlyPrompt(body['prompt']);
    if (typeof prompt !== 'string') return this.readIds(prompt, 'prompt');
    return prompt === '' ? [] : this.begun(this.open.model.tokenize(prompt, false));
  }

  private chat(body: ConversationTurn['body']): readonly number[] {
    if (this.template === null) {
      const message = 'this model has no chat template: use /v1/completions';
      throw new EngineRefusal('unsupported_parameter', message, 'messages');
    }
    const pieces = this.guard.split(this.template.render(body));
    return this.begun(pieces.flatMap((piece) => this.open.model.tokenize(piece, true)));
  }

  /** With the token that the model wants every text to begin with. */
  private begun(tokens: readonly number[]): readonly number[] {
    const { bos, shouldPrependBosToken } = this.open.model.tokens;
    return shouldPrependBosToken && bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens;
  }

  private readIds(value: unknown, param: string): readonly number[] {
    if (!Array.isArray(value)) {
      const wanted = param === 'prompt' ? 'a text or a list of token ids' : 'a list of token ids';
      throw new EngineRefusal('invalid_request', `${param} must be ${wanted}`, param);
    }
    const { size } = this.open.vocabulary;
    const wrong = value.findIndex((id) => !(Number.isInteger(id) && (id as number) >= 0 && (id as number) < size));
    if (wrong >= 0) {
      const at = `${param}[${String(wrong)}]`;
      throw new EngineRefusal('invalid_request', `${at} is not an integer from 0 to ${String(size - 1)}`, at);
    }
    return value as number[];
  }
}

/** The prompt of a request that may have it in a list of one. */
function onlyPrompt(prompt: unknown): unknown {
  if (!Array.isArray(prompt)) return prompt;
  const first: unknown = prompt[0];
  if (typeof first !== 'string' && !Array.isArray(first)) return prompt;
  if (prompt.length > 1) {
    const message = `prompt holds ${String(prompt.length)} prompts; send one a request`;
    throw new EngineRefusal('unsupported_parameter', message, 'prompt');
  }
  return first;
}

import { type ConversationTurn, EngineRefusal } from '@roost/engine';
import { onlyPrompt, readTokenIds } from '@roost/prompt';

import type { OpenModel } from '../model/open-model.js';

import { ChatTemplate } from './chat-template.js';
import { ControlTextGuard } from './control-text-guard.js';
import { refuseInvalid } from './refuse-invalid.js';

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
    const tokens = refuseInvalid(() => this.tokensOf(endpoint, body));
    if (tokens.length === 0) throw new EngineRefusal('invalid_request', 'prompt is empty', 'prompt');
    return Uint32Array.from(tokens);
  }

  private tokensOf(endpoint: ConversationTurn['endpoint'], body: ConversationTurn['body']): ArrayLike<number> {
    const { prompt_token_ids: ids } = body;
    const { size } = this.open.vocabulary;
    if (ids !== undefined && ids !== null) return readTokenIds(ids, 'prompt_token_ids', size);
    if (endpoint === 'chat') return this.chat(body);
    const prompt = onlyPrompt(body['prompt']);
    if (typeof prompt !== 'string') return readTokenIds(prompt, 'prompt', size);
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
}

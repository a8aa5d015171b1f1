import { EngineRefusal } from '@roost/engine';
import { renderContent } from '@roost/prompt';

import type { Jinja } from '../runtime/node-llama-cpp.js';

import type { ControlTextGuard } from './control-text-guard.js';
import { refuseInvalid } from './refuse-invalid.js';

/** What a template may refer to beside the messages. */
export interface TemplateTexts {
  readonly bos: string | null;
  readonly eos: string | null;
}

/** The chat template of a model's file. */
export class ChatTemplate {
  private readonly template: { render(values: Readonly<Record<string, unknown>>): string };

  constructor(
    private readonly source: string,
    { Template }: Jinja,
    private readonly texts: TemplateTexts,
    private readonly guard: ControlTextGuard,
  ) {
    this.template = new Template(source);
  }

  /**
   * Renders a chat request and the header of the answer to come. Control tokens' texts in what the client wrote are kept
   * apart by the guard.
   *
   * @throws EngineRefusal naming the field that is malformed, or that the template has no place for
   */
  render(body: Readonly<Record<string, unknown>>): string {
    const messages = readMessages(body['messages'], (field) => this.requirePlace(field));
    const tools = this.readTools(body['tools']);
    const values = {
      messages: this.guard.protect(messages),
      ...(tools === null ? {} : { tools: this.guard.protect(tools) }),
      add_generation_prompt: true,
      bos_token: this.texts.bos ?? '',
      eos_token: this.texts.eos ?? '',
    };
    try {
      return this.template.render(values);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new EngineRefusal('invalid_request', `the model's chat template refuses: ${reason}`, 'messages');
    }
  }

  private readTools(tools: unknown): readonly unknown[] | null {
    if (tools === undefined || tools === null) return null;
    if (!Array.isArray(tools)) throw new EngineRefusal('invalid_request', 'tools must be a list', 'tools');
    if (tools.length === 0) return null;
    this.requirePlace('tools');
    return tools as readonly unknown[];
  }

  private requirePlace(field: string): void {
    if (!this.source.includes(field)) {
      throw new EngineRefusal('unsupported_parameter', `the model's chat template has no place for ${field}`, field);
    }
  }
}

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

function readMessages(messages: unknown, requirePlace: (field: string) => void): readonly Record<string, unknown>[] {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new EngineRefusal('invalid_request', 'messages must be a list of at least one message', 'messages');
  }
  return messages.map((message: unknown, index) => {
    const path = `messages[${String(index)}]`;
    if (typeof message !== 'object' || message === null || Array.isArray(message)) {
      throw new EngineRefusal('invalid_request', `${path} must be an object`, path);
    }
    return readMessage(message as Record<string, unknown>, path, requirePlace);
  });
}

function readMessage(
  message: Record<string, unknown>,
  path: string,
  requirePlace: (field: string) => void,
): Record<string, unknown> {
  const { role, content, tool_calls: calls } = message;
  if (typeof role !== 'string' || !ROLES.has(role)) {
    const roles = [...ROLES].join(', ');
    throw new EngineRefusal('invalid_request', `${path}.role must be one of ${roles}`, `${path}.role`);
  }
  if (role === 'tool') requirePlace('tool');
  if (calls !== undefined && calls !== null) requirePlace('tool_calls');
  return {
    ...message,
    // Templates know the older name only.
    role: role === 'developer' ? 'system' : role,
    content: refuseInvalid(() => renderContent(content, `${path}.content`).join('')),
  };
}

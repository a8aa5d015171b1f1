// Owns: messages and prompts (reference 3.1), and the canonical text of both.
import { describe, expect, it } from '@jest/globals';

import { type ClientRequest, parseClientRequest } from './client-request.js';

type Fields = Record<string, unknown>;

const MESSAGES = [{ role: 'user', content: 'hi' }];

function chat(fields: Fields = {}, allowChatTemplate = false): ClientRequest {
  const text = JSON.stringify({ model: 'm', messages: MESSAGES, ...fields });
  return parseClientRequest('chat', Buffer.from(text), { allowChatTemplate });
}

function completions(fields: Fields = {}): ClientRequest {
  const text = JSON.stringify({ model: 'm', prompt: 'hi', ...fields });
  return parseClientRequest('completions', Buffer.from(text), { allowChatTemplate: false });
}

describe('messages', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };

  it('of every role and shape are accepted, and their text is known without building it', () => {
    const request = chat({
      messages: [
        { role: 'system', content: 'a' },
        { role: 'developer', content: 'b', name: 'n' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'c' },
            { type: 'text', text: 'd\u00e9\u{1f600}' },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', content: 'r', tool_call_id: 'c1' },
        { role: 'assistant', content: '', reasoning_content: 'harmless' },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
      ],
    });
    expect(request.canonicalText()).toBe(
      'system:a\ndeveloper:b\nuser:cd\u00e9\u{1f600}\nassistant:\nassistant:\ntool:r\nassistant:\nassistant:no',
    );
    expect(request.textChars).toBe(Array.from(request.canonicalText()).length);
  });

  it.each<[unknown, string]>([
    [undefined, 'messages'],
    ['hi', 'messages'],
    [[], 'messages'],
    [[null], 'messages[0]'],
    [['hi'], 'messages[0]'],
    [[{ content: 'x' }], 'messages[0].role'],
    [[{ role: 'root', content: 'x' }], 'messages[0].role'],
    [[...MESSAGES, { role: 'user' }], 'messages[1].content'],
    [[{ role: 'user', content: null, tool_calls: [call] }], 'messages[0].tool_calls'],
    [[{ role: 'assistant', content: null }], 'messages[0].content'],
    [[{ role: 'assistant', content: null, tool_calls: [] }], 'messages[0].content'],
    [[{ role: 'user', content: 5 }], 'messages[0].content'],
    [[{ role: 'user', content: [] }], 'messages[0].content'],
    [[{ role: 'user', content: ['x'] }], 'messages[0].content[0]'],
    [[{ role: 'user', content: [{ type: 'text' }] }], 'messages[0].content[0].text'],
    [[{ role: 'user', content: 'x', name: 5 }], 'messages[0].name'],
    [[{ role: 'tool', content: 'x' }], 'messages[0].tool_call_id'],
    [[{ role: 'assistant', content: 'x', tool_calls: {} }], 'messages[0].tool_calls'],
    [[{ role: 'assistant', tool_calls: [{ ...call, id: 1 }] }], 'messages[0].tool_calls[0].id'],
    [
      [{ role: 'assistant', tool_calls: [{ ...call, function: { name: 'f' } }] }],
      'messages[0].tool_calls[0].function.arguments',
    ],
  ])('are refused by place: %p', (messages, param) => {
    expect(() => chat({ messages })).toThrow(expect.objectContaining({ code: 'invalid_request', param }));
  });
});

describe('a prompt', () => {
  it.each<[unknown, string, number[] | null]>([
    ['text', 'text', null],
    [['text'], 'text', null],
    [[5, 67], '5 67', [5, 67]],
    [[5], '5', [5]],
    [[[5, 67]], '5 67', [5, 67]],
  ])('may be %p', (prompt, text, ids) => {
    const request = completions({ prompt });
    expect(request.canonicalText()).toBe(text);
    expect(request).toMatchObject({ promptTokenIds: ids, textChars: ids === null ? text.length : 5 * ids.length });
  });

  it.each<[unknown, string]>([
    [[], 'Disaggregated server does not support empty prompt list'],
    [[[]], 'Disaggregated server does not support empty prompt list'],
    [['a', 'b'], 'Disaggregated server currently only supports single string prompt or list of integers in request'],
    [{}, 'Disaggregated server currently only supports single string prompt or list of integers in request'],
    [[[1], [2]], 'Disaggregated server currently only supports single string prompt or list of integers in request'],
    [[1, 'a'], 'prompt[1] must be a token id'],
    ['', 'prompt must not be empty'],
    [null, 'prompt is required'],
  ])('may not be %p', (prompt, message) => {
    expect(() => completions({ prompt })).toThrow(expect.objectContaining({ code: 'invalid_request', message }));
  });
});

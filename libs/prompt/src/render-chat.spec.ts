import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { encodeText } from './encode-text.js';
import { InvalidPrompt } from './invalid-prompt.js';
import { PromptEncoder } from './prompt-encoder.js';
import { renderChat } from './render-chat.js';
import { CONTROL, decodeTokens } from './vocabulary.js';

/** Owns: what a chat request looks like to a model, and that its next turn extends it. */

type Message = Record<string, unknown>;

const encoder = new PromptEncoder(0);
const tokensOf = (body: Record<string, unknown>): number[] => [...encoder.encode(renderChat(body))];

const NAMES = new Map<number, string>(Object.entries(CONTROL).map(([name, id]) => [id, `<${name}>`]));
const readable = (body: Record<string, unknown>): string =>
  tokensOf(body)
    .map((token) => NAMES.get(token) ?? Buffer.from(decodeTokens([token])).toString())
    .join('');

const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const content = fc.oneof(
  text,
  fc.array(fc.record({ type: fc.constant('text'), text }), { maxLength: 3 }),
  fc.constant(null),
);
const call = fc.record({
  id: text,
  type: fc.constant('function'),
  function: fc.record({ name: text, arguments: text }),
});
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer', 'user'), content }),
  fc.record({ role: fc.constant('assistant'), content, tool_calls: fc.array(call, { maxLength: 2 }) }),
  fc.record({ role: fc.constant('tool'), tool_call_id: text, content }),
);
const messages = fc.array(message, { minLength: 1, maxLength: 6 });
const tools = fc.option(fc.array(fc.dictionary(text, fc.jsonValue({ maxDepth: 2 })), { maxLength: 2 }), {
  nil: undefined,
});

describe('renderChat', () => {
  it('renders roles, parts, tools, calls and results', () => {
    const body = {
      tools: [{ type: 'function', function: { name: 'add', description: 'adds' } }],
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          name: 'ada',
          content: [
            { type: 'text', text: '1+1' },
            { type: 'text', text: '?' },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: '2' },
      ],
    };
    expect(readable(body)).toBe(
      '<messageStart>tools<headerEnd><tool>{"function":{"description":"adds","name":"add"},"type":"function"}<messageEnd>' +
        '<messageStart>system<headerEnd>Be brief.<messageEnd>' +
        '<messageStart>user ada<headerEnd>1+1?<messageEnd>' +
        '<messageStart>assistant<headerEnd><toolCall>add c1<headerEnd>{"a":1}<messageEnd>' +
        '<messageStart>tool c1<headerEnd>2<messageEnd>' +
        '<messageStart>assistant<headerEnd>',
    );
  });

  it('extends a turn by the answer and by what is new, token for token', () =>
    fc.assert(
      fc.property(messages, tools, text, messages, (history, declared, answer, news) => {
        const turn = tokensOf({ messages: history, tools: declared });
        const next = tokensOf({
          messages: [...history, { role: 'assistant', content: answer }, ...news],
          tools: declared,
        });
        const expected = [...turn, ...encodeText(answer), CONTROL.messageEnd];
        expect(next.slice(0, expected.length)).toEqual(expected);
      }),
    ));

  it('has control tokens only where it puts them itself', () =>
    fc.assert(
      fc.property(messages, (history) => {
        const count = (id: number): number => tokensOf({ messages: history }).filter((token) => token === id).length;
        const calls = history.flatMap((each) => (each['tool_calls'] as unknown[] | undefined) ?? []).length;
        expect(count(CONTROL.messageStart)).toBe(history.length + 1);
        expect(count(CONTROL.messageEnd)).toBe(history.length);
        expect(count(CONTROL.toolCall)).toBe(calls);
      }),
    ));

  it('renders tools alike however their keys are ordered', () => {
    const turn = [{ role: 'user', content: 'hi' }];
    expect(tokensOf({ messages: turn, tools: [{ a: 1, b: { c: 2, d: 3 } }] })).toEqual(
      tokensOf({ messages: turn, tools: [{ b: { d: 3, c: 2 }, a: 1 }] }),
    );
  });

  it.each<[unknown, unknown, string, string]>([
    [undefined, undefined, 'invalid_request', 'messages'],
    [[], undefined, 'invalid_request', 'messages'],
    [['hi'], undefined, 'invalid_request', 'messages[0]'],
    [[{ role: 'root', content: 'x' }], undefined, 'invalid_request', 'messages[0].role'],
    [[{ role: 'user', content: 7 }], undefined, 'invalid_request', 'messages[0].content'],
    [[{ role: 'user', content: [7] }], undefined, 'invalid_request', 'messages[0].content[0]'],
    [[{ role: 'user', content: [{ type: 'text' }] }], undefined, 'invalid_request', 'messages[0].content[0].text'],
    [
      [{ role: 'user', content: [{ type: 'image_url' }] }],
      undefined,
      'unsupported_parameter',
      'messages[0].content[0]',
    ],
    [[{ role: 'assistant', tool_calls: {} }], undefined, 'invalid_request', 'messages[0].tool_calls'],
    [[{ role: 'assistant', tool_calls: [{}] }], undefined, 'invalid_request', 'messages[0].tool_calls[0]'],
    [
      [{ role: 'assistant', tool_calls: [{ function: { name: 'f' } }] }],
      undefined,
      'invalid_request',
      'messages[0].tool_calls[0].function',
    ],
    [[{ role: 'user', content: 'x' }], {}, 'invalid_request', 'tools'],
    [[{ role: 'user', content: 'x' }], [3], 'invalid_request', 'tools[0]'],
    [[{ role: 'user', content: 'x' }], [{ deep: nested(100_000) }], 'invalid_request', 'tools[0]'],
  ])('refuses case %#, naming the field', (given, declared, code, param) => {
    expect(() => tokensOf({ messages: given, tools: declared })).toThrow(
      expect.objectContaining({ name: InvalidPrompt.name, code, param }),
    );
  });
});

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

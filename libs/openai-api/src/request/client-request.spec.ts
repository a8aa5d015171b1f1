// Owns: reference 3.1 for bodies: what is read, what is refused and by which name.
import { isDeepStrictEqual } from 'node:util';

import { describe, expect, it } from '@jest/globals';
import { RoostError } from '@roost/protocol';
import fc from 'fast-check';

import { type ClientRequest, parseClientRequest } from './client-request.js';
import type { ClientEndpoint } from './fields.js';

type Fields = Record<string, unknown>;

const MESSAGES = [{ role: 'user', content: 'hi' }];

function parseText(endpoint: ClientEndpoint, text: string | Buffer): ClientRequest {
  return parseClientRequest(endpoint, Buffer.from(text), { allowChatTemplate: false });
}

function chat(fields: Fields = {}): ClientRequest {
  return parseText('chat', JSON.stringify({ model: 'm', messages: MESSAGES, ...fields }));
}

function completions(fields: Fields = {}): ClientRequest {
  return parseText('completions', JSON.stringify({ model: 'm', prompt: 'hi', ...fields }));
}

/** The request, or the error that says why there is none. */
function outcomeOf(endpoint: ClientEndpoint, bytes: Buffer): ClientRequest | RoostError {
  try {
    return parseClientRequest(endpoint, bytes, { allowChatTemplate: true });
  } catch (error) {
    if (error instanceof RoostError) return error;
    throw error;
  }
}

/** What is to be forwarded of a body. */
function withoutPrivateFields(bytes: Buffer): unknown {
  const body = JSON.parse(bytes.toString()) as Fields;
  Reflect.deleteProperty(body, 'disaggregated_params');
  const params = body['conversation_params'];
  if (typeof params === 'object' && params !== null) Reflect.deleteProperty(params, 'subagent_affinity_id');
  return body;
}

describe('a body', () => {
  it.each<[string | Buffer, string, RegExp]>([
    [Buffer.from([0x7b, 0xff, 0x7d]), 'invalid_json', /UTF-8/],
    ['', 'invalid_json', /unexpected end at position 0/],
    ['{"model":', 'invalid_json', /unexpected end at position 9/],
    ['{"model": oops}', 'invalid_json', /unexpected character at position 10 \(line 1, column 11\)/],
    ['[]', 'invalid_request', /object/],
    ['null', 'invalid_request', /object/],
    ['"text"', 'invalid_request', /object/],
    ['['.repeat(100_000), 'invalid_json', /position 100000/],
    ['[],'.repeat(400_000), 'invalid_json', /^The body is not valid JSON$/],
  ])('is refused: %p', (text, code, message) => {
    expect(() => parseText('chat', text)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });

  it('does not come back in the message of a refusal', () => {
    const outcome = outcomeOf('chat', Buffer.from('{"model": secret}'));
    expect(outcome).toMatchObject({ code: 'invalid_json', message: expect.not.stringContaining('secret') });
  });

  it('is read', () => {
    const text = JSON.stringify({
      model: 'm',
      messages: [{ role: 'system', content: 'be brief' }, ...MESSAGES],
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 7,
      stop: ['a', 'b'],
      temperature: 0.5,
      top_p: 1,
      seed: -3,
      ignore_eos: true,
      conversation_params: { conversation_id: 'c' },
      prompt_token_ids: [1, 2],
    });
    const { canonicalText, ...request } = parseText('chat', text);
    expect(request).toEqual({
      endpoint: 'chat',
      model: 'm',
      stream: true,
      includeUsage: true,
      bytes: Buffer.from(text),
      conversationParams: { conversation_id: 'c' },
      sampling: { maxTokens: 7, stop: ['a', 'b'], temperature: 0.5, topP: 1, seed: -3n, ignoreEos: true },
      promptTokenIds: [1, 2],
      textChars: 23,
    });
    expect(canonicalText()).toBe('system:be brief\nuser:hi');
  });

  it('needs little, and null counts as absent', () => {
    const nothing = {
      stop: null,
      temperature: null,
      seed: null,
      stream_options: null,
      tools: null,
      n: null,
      stream: null,
    };
    for (const request of [chat(), chat(nothing), completions(), completions({ ...nothing, tools: undefined })]) {
      expect(request).toMatchObject({ stream: false, includeUsage: false, promptTokenIds: null });
      expect(request.sampling).toEqual({ stop: [], ignoreEos: false });
      expect(request.conversationParams).toBeUndefined();
    }
  });
});

describe('fields that only an edge may set', () => {
  it('are not forwarded, and everything else is as the client wrote it', () => {
    const text =
      '{ "model":"m", "disaggregated_params":{"ctx_request_id":1}, "messages":[{"role":"user","content":"\\u0068i"}],' +
      '"seed":9007199254740993, "conversation_params":{"subagent_affinity_id":"victim", "conversation_id":"own"},' +
      ' "\\u0064isaggregated_params":[1], "temperature":1.0}';
    const request = parseText('chat', text);
    expect(request.bytes.toString()).toBe(
      '{"model":"m","messages":[{"role":"user","content":"\\u0068i"}],"seed":9007199254740993,' +
        '"conversation_params":{"conversation_id":"own"},"temperature":1.0}',
    );
    expect(request.conversationParams).toEqual({ conversation_id: 'own' });
    expect(request.sampling.seed).toBe(9007199254740993n);
  });

  it('are looked for in every copy of a repeated member', () => {
    const text =
      '{"model":"m","messages":[{"role":"user","content":"hi"}],"conversation_params":{"subagent_affinity_id":"v1"},' +
      '"conversation_params":null,"conversation_params":{"conversation_id":"a","subagent_affinity_id":"v2"}}';
    expect(parseText('chat', text).bytes.toString()).not.toMatch(/v1|v2/);
  });

  it.each([
    [
      'the first of two',
      '"conversation_params":{"subagent_affinity_id":"victim"}',
      '"conversation_params":{"conversation_id":"a"}',
    ],
    ['one before null', '"conversation_params":{"subagent_affinity_id":"victim"}', '"conversation_params":null'],
    ['an escaped key', '"conversation_params":{"subagent_\\u0061ffinity_id":"victim"}', '"conversation_params":{}'],
    [
      'an escaped copy',
      '"conversation\\u005fparams":{"\\u0073ubagent_affinity_id":"victim"}',
      '"conversation_params":{}',
    ],
    ['a repeated handoff', '"disaggregated_params":"victim"', '"disaggregated_params":null'],
  ])('are not forwarded where no parser takes them: %s', (_, hidden, taken) => {
    const messages = Array.from({ length: 7_000 }, () => '{"role":"user","content":"\\u001b é"}').join();
    for (const list of ['{"role":"user","content":"hi"}', messages]) {
      const conversation = `"messages":[${list}]`;
      for (const members of [
        [hidden, conversation, taken],
        [hidden, taken, conversation],
        [conversation, hidden, taken],
      ]) {
        const text = `{"model":"m",${members.join(',')}}`;
        const { bytes } = parseText('chat', text);
        expect(bytes.includes('victim')).toBe(false);
        expect(JSON.parse(bytes.toString())).toEqual(withoutPrivateFields(Buffer.from(text)));
      }
    }
  });

  it.each(['the word subagent_affinity_id', 'a letter that is escaped: \\u0061'])(
    'are not what a message says, which is forwarded as it is: %s',
    (content) => {
      const bytes = Buffer.from(
        `{"model":"m", "messages":[{"role":"user","content":"${content}"}],"conversation_params" : {"conversation_id":"a"}}`,
      );
      expect(parseClientRequest('chat', bytes, { allowChatTemplate: false }).bytes).toBe(bytes);
    },
  );

  it('make no difference when absent: the very bytes of the client are forwarded', () => {
    const bytes = Buffer.from(
      ' {"model":"m","prompt":"disaggregated_params", "conversation_params":{"conversation_id":"a"}}\n',
    );
    expect(parseClientRequest('completions', bytes, { allowChatTemplate: false }).bytes).toBe(bytes);
  });
});

it('keeps every digit of a numeric conversation id', () => {
  const text = '{"model":"m","prompt":"x","conversation_params":{"conversation_id": 12345678901234567890 }}';
  expect(parseText('completions', text).conversationParams).toEqual({ conversation_id: '12345678901234567890' });
});

describe('whatever the bytes', () => {
  const anyBody = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.json().map((text) => Buffer.from(text)),
    fc
      .dictionary(
        fc.constantFrom(
          ...['model', 'messages', 'prompt', 'stream', 'stream_options', 'max_tokens', 'stop', 'seed', 'tools', 'n'],
          ...[
            'conversation_params',
            'disaggregated_params',
            'prompt_token_ids',
            'response_format',
            'logit_bias',
            'user',
          ],
        ),
        fc.oneof(
          fc.jsonValue(),
          fc.array(fc.record({ role: fc.constantFrom('user', 'assistant', 'tool'), content: fc.jsonValue() })),
        ),
      )
      .map((body) => Buffer.from(JSON.stringify(body))),
  );

  it('there is a request, or a RoostError that is the client’s fault', () => {
    fc.assert(
      fc.property(fc.constantFrom<ClientEndpoint>('chat', 'completions'), anyBody, (endpoint, bytes) => {
        const outcome = outcomeOf(endpoint, bytes);
        const sound =
          outcome instanceof RoostError
            ? outcome.kind.fault === 'client'
            : (outcome.promptTokenIds !== null || Array.from(outcome.canonicalText()).length === outcome.textChars) &&
              isDeepStrictEqual(JSON.parse(outcome.bytes.toString()), withoutPrivateFields(bytes));
        expect(sound).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('a valid conversation has a canonical text of the told length, and comes back as it was', () => {
    const text = fc.string({ unit: 'grapheme' });
    const content = fc.oneof(
      text,
      fc.array(
        text.map((part) => ({ type: 'text', text: part })),
        { minLength: 1 },
      ),
    );
    const message = fc.record({ role: fc.constantFrom('system', 'user', 'assistant'), content });
    fc.assert(
      fc.property(fc.array(message, { minLength: 1 }), fc.jsonValue(), (messages, handoff) => {
        const request = chat({ messages, disaggregated_params: handoff });
        expect(Array.from(request.canonicalText())).toHaveLength(request.textChars);
        expect(JSON.parse(request.bytes.toString())).toEqual({ model: 'm', messages });
      }),
    );
  });
});

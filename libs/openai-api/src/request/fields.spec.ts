// Owns: which fields are read, which are harmless, and which are refused by which name.
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

describe('fields', () => {
  it.each<Fields>([
    {
      user: 'u',
      metadata: { a: 'b' },
      store: true,
      service_tier: 'auto',
      safety_identifier: 's',
      prompt_cache_key: 'k',
    },
    { n: 1, best_of: 1, logprobs: false, top_logprobs: 0, logit_bias: {}, presence_penalty: 0, frequency_penalty: 0 },
    { response_format: { type: 'text' }, modalities: ['text'], parallel_tool_calls: false, tool_choice: 'auto' },
    { top_k: -1, min_p: 0, repetition_penalty: 1, skip_special_tokens: true, stop_token_ids: [], documents: [] },
    { tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' }, strict: true } }] },
    { tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: 'none', functions: [], prediction: {} },
  ])('that leave the answer as it is are accepted: %p', (fields) => {
    expect(JSON.parse(chat(fields).bytes.toString())).toMatchObject(fields);
  });

  it.each<[Fields, string]>([
    [{ n: 2 }, 'n'],
    [{ n: '1' }, 'n'],
    [{ best_of: 2 }, 'best_of'],
    [{ logprobs: true }, 'logprobs'],
    [{ top_logprobs: 5 }, 'top_logprobs'],
    [{ logit_bias: { 50256: -100 } }, 'logit_bias'],
    [{ response_format: { type: 'json_object' } }, 'response_format'],
    [{ response_format: 'text' }, 'response_format'],
    [{ presence_penalty: 0.1 }, 'presence_penalty'],
    [{ frequency_penalty: -1 }, 'frequency_penalty'],
    [{ tool_choice: 'required' }, 'tool_choice'],
    [{ tool_choice: { type: 'function', function: { name: 'f' } } }, 'tool_choice'],
    [{ functions: [{ name: 'f' }] }, 'functions'],
    [{ modalities: ['text', 'audio'] }, 'modalities'],
    [{ audio: { voice: 'v' } }, 'audio'],
    [{ web_search_options: {} }, 'web_search_options'],
    [{ reasoning_effort: 'high' }, 'reasoning_effort'],
    [{ top_k: 40 }, 'top_k'],
    [{ min_tokens: 5 }, 'min_tokens'],
    [{ cache_salt: 's' }, 'cache_salt'],
    [{ documents: [{}] }, 'documents'],
    [{ chat_template: '{{ x }}' }, 'chat_template'],
    [{ chat_template_kwargs: { chat_template: '{{ x }}' } }, 'chat_template_kwargs'],
    [{ tools: [{ type: 'custom', custom: {} }] }, 'tools[0].type'],
    [{ echo: false }, 'echo'],
    [{ temprature: 0 }, 'temprature'],
    [{ constructor: 1 }, 'constructor'],
    [{ stream: true, stream_options: { usage: true } }, 'stream_options.usage'],
    [{ stream: true, stream_options: { continuous_usage_stats: true } }, 'stream_options.continuous_usage_stats'],
    [{ messages: [{ role: 'assistant', content: 'x', audio: { id: 'a' } }] }, 'messages[0].audio'],
    [{ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] }, 'messages[0].content[0]'],
    [{ messages: [...MESSAGES, { role: 'user', content: [{ type: 'input_audio' }] }] }, 'messages[1].content[0]'],
  ])('of chat that would change it are refused by name: %p', (fields, param) => {
    expect(() => chat(fields)).toThrow(
      expect.objectContaining({
        code: 'unsupported_parameter',
        param,
        message: expect.stringContaining(param),
      }),
    );
  });

  it.each<[Fields, string]>([
    [{ echo: true }, 'echo'],
    [{ suffix: 's' }, 'suffix'],
    [{ logprobs: 0 }, 'logprobs'],
    [{ best_of: 3 }, 'best_of'],
    [{ messages: MESSAGES }, 'messages'],
    [{ tools: [] }, 'tools'],
    [{ max_completion_tokens: 1 }, 'max_completion_tokens'],
  ])('of completions that would change it are refused by name: %p', (fields, param) => {
    expect(() => completions(fields)).toThrow(expect.objectContaining({ code: 'unsupported_parameter', param }));
  });

  it('may name a chat template where that is allowed', () => {
    const fields = { chat_template: '{{ x }}', chat_template_kwargs: { y: 1 } };
    expect(JSON.parse(chat(fields, true).bytes.toString())).toMatchObject(fields);
    expect(() => chat({ chat_template: 1 }, true)).toThrow(expect.objectContaining({ param: 'chat_template' }));
  });

  it.each<[Fields, string]>([
    [{ model: undefined }, 'model'],
    [{ model: '' }, 'model'],
    [{ model: 7 }, 'model'],
    [{ model: 'm'.repeat(257) }, 'model'],
    [{ stream: 'yes' }, 'stream'],
    [{ stream: 1 }, 'stream'],
    [{ stream_options: { include_usage: true } }, 'stream_options'],
    [{ stream: false, stream_options: {} }, 'stream_options'],
    [{ stream: true, stream_options: [] }, 'stream_options'],
    [{ stream: true, stream_options: { include_usage: 1 } }, 'stream_options.include_usage'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ max_tokens: 1.5 }, 'max_tokens'],
    [{ max_tokens: '5' }, 'max_tokens'],
    [{ max_tokens: 2 ** 32 }, 'max_tokens'],
    [{ max_completion_tokens: -1 }, 'max_completion_tokens'],
    [{ max_tokens: 5, max_completion_tokens: 6 }, 'max_tokens'],
    [{ stop: '' }, 'stop'],
    [{ stop: ['a', ''] }, 'stop'],
    [{ stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
    [{ stop: [1] }, 'stop'],
    [{ stop: {} }, 'stop'],
    [{ temperature: -0.1 }, 'temperature'],
    [{ temperature: 2.1 }, 'temperature'],
    [{ temperature: 'hot' }, 'temperature'],
    [{ top_p: 0 }, 'top_p'],
    [{ top_p: 1.1 }, 'top_p'],
    [{ seed: 1.5 }, 'seed'],
    [{ seed: '1' }, 'seed'],
    [{ ignore_eos: 1 }, 'ignore_eos'],
    [{ user: 1 }, 'user'],
    [{ tools: {} }, 'tools'],
    [{ tools: [null] }, 'tools[0]'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].function'],
    [{ tools: [{ function: { name: 'f' } }] }, 'tools[0].type'],
    [{ tools: [{ type: 'function', function: { name: '' } }] }, 'tools[0].function.name'],
    [{ tools: [{ type: 'function', function: { name: 'f', parameters: [] } }] }, 'tools[0].function.parameters'],
    [{ prompt_token_ids: [] }, 'prompt_token_ids'],
    [{ prompt_token_ids: [1, -1] }, 'prompt_token_ids[1]'],
    [{ prompt_token_ids: [2 ** 32] }, 'prompt_token_ids[0]'],
    [{ prompt_token_ids: 'abc' }, 'prompt_token_ids'],
  ])('that are malformed are refused by name: %p', (fields, param) => {
    expect(() => chat(fields)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        param,
        message: expect.stringContaining(param),
      }),
    );
  });

  it('hold numbers beyond what a double can, in the seed', () => {
    const seedOf = (seed: string): bigint | undefined =>
      parseClientRequest(
        'chat',
        Buffer.from(`{"model":"m","messages":[{"role":"user","content":"\\"seed\\":1"}],"seed": ${seed} }`),
        { allowChatTemplate: false },
      ).sampling.seed;
    expect(seedOf('9007199254740993')).toBe(9007199254740993n);
    expect(seedOf('-9223372036854775808')).toBe(-(2n ** 63n));
    for (const seed of ['9223372036854775808', '1e300', '1e999', '9'.repeat(1000)]) {
      expect(() => seedOf(seed)).toThrow(expect.objectContaining({ param: 'seed' }));
    }
  });

  it('may give the token limit under both names when it is the same', () => {
    expect(chat({ max_tokens: 5, max_completion_tokens: 5 }).sampling.maxTokens).toBe(5);
    expect(chat({ max_tokens: 5 }).sampling.maxTokens).toBe(5);
  });
});

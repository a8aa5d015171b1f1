// Owns: what a client reads: whole answers, streams, errors.
import { describe, expect, it } from '@jest/globals';
import { RoostError } from '@roost/protocol';
import fc from 'fast-check';

import { type AnswerHeader, answerId, createAnswerRenderer } from './answer-renderer.js';
import { errorEnvelope } from './error-envelope.js';

const USAGE = { promptTokens: 10, completionTokens: 3, cachedTokens: 8 };
const USAGE_BODY = {
  prompt_tokens: 10,
  completion_tokens: 3,
  total_tokens: 13,
  prompt_tokens_details: { cached_tokens: 8 },
};

function header(change: Partial<AnswerHeader> = {}): AnswerHeader {
  return { endpoint: 'chat', id: 'chatcmpl-1', created: 1700000000, model: 'm "x"', includeUsage: false, ...change };
}

/** The data of each event, as a client of server-sent events splits them. */
function events(stream: string): unknown[] {
  expect(stream.endsWith('\n\n')).toBe(true);
  return stream
    .slice(0, -2)
    .split('\n\n')
    .map((event) => {
      expect(event).toMatch(/^data: [^\n]*$/);
      const data = event.slice('data: '.length);
      return data === '[DONE]' ? data : (JSON.parse(data) as unknown);
    });
}

describe('a chat answer', () => {
  const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1700000000, model: 'm "x"' };
  const choice = (delta: object, finish_reason: string | null = null): object => ({
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });

  it('streams its role, its text, its end', () => {
    const renderer = createAnswerRenderer(header());
    const stream =
      renderer.opening() + renderer.delta('He"y\n\n') + renderer.delta('') + renderer.ending('stop', USAGE);
    expect(events(stream)).toEqual([
      { ...base, ...choice({ role: 'assistant', content: '', refusal: null }) },
      { ...base, ...choice({ content: 'He"y\n\n' }) },
      { ...base, ...choice({}, 'stop') },
      '[DONE]',
    ]);
  });

  it('tells the usage in a chunk of its own when asked to', () => {
    const renderer = createAnswerRenderer(header({ includeUsage: true }));
    expect(events(renderer.opening() + renderer.delta('a') + renderer.ending('length', USAGE))).toEqual([
      { ...base, ...choice({ role: 'assistant', content: '', refusal: null }), usage: null },
      { ...base, ...choice({ content: 'a' }), usage: null },
      { ...base, ...choice({}, 'length'), usage: null },
      { ...base, choices: [], usage: USAGE_BODY },
      '[DONE]',
    ]);
  });

  it('may be whole', () => {
    expect(JSON.parse(createAnswerRenderer(header()).whole('Hey', 'stop', USAGE))).toEqual({
      ...base,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hey', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: USAGE_BODY,
    });
  });
});

describe('a completion', () => {
  const renderer = createAnswerRenderer(header({ endpoint: 'completions', id: 'cmpl-1', includeUsage: true }));
  const base = { id: 'cmpl-1', object: 'text_completion', created: 1700000000, model: 'm "x"' };
  const choice = (text: string, finish_reason: string | null = null): object => ({
    choices: [{ index: 0, text, logprobs: null, finish_reason }],
  });

  it('streams its text and its end', () => {
    expect(events(renderer.opening() + renderer.delta('a') + renderer.ending('length', USAGE))).toEqual([
      { ...base, ...choice('a'), usage: null },
      { ...base, ...choice('', 'length'), usage: null },
      { ...base, choices: [], usage: USAGE_BODY },
      '[DONE]',
    ]);
  });

  it('may be whole', () => {
    expect(JSON.parse(renderer.whole('a', 'length', USAGE))).toEqual({
      ...base,
      ...choice('a', 'length'),
      usage: USAGE_BODY,
    });
  });
});

it('streams any text so that the deltas add up to it', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), fc.string(), (texts, model) => {
      const renderer = createAnswerRenderer(header({ model }));
      const chunks = events(texts.map((text) => renderer.delta(text)).join('') + renderer.ending('stop', USAGE));
      const deltas = chunks.slice(0, -2) as { model: string; choices: [{ delta: { content: string } }] }[];
      expect(deltas.map((chunk) => chunk.choices[0].delta.content).join('')).toBe(texts.join(''));
      expect(deltas.every((chunk) => chunk.model === model)).toBe(true);
    }),
  );
});

it('names answers by their kind', () => {
  expect(answerId('chat', 'u')).toBe('chatcmpl-u');
  expect(answerId('completions', 'u')).toBe('cmpl-u');
});

describe('an error', () => {
  it('is told in the envelope of its kind', () => {
    expect(errorEnvelope(new RoostError('unsupported_parameter', 'n is not supported', { param: 'n' }))).toEqual({
      error: {
        message: 'n is not supported',
        type: 'invalid_request_error',
        param: 'n',
        code: 'unsupported_parameter',
      },
    });
    expect(errorEnvelope(new RoostError('overloaded', 'later')).error).toMatchObject({
      type: 'rate_limit_error',
      param: null,
    });
  });

  it.each([new Error('password is hunter2'), 'hunter2', null])(
    'that nobody foresaw tells nothing of itself: %p',
    (error) => {
      expect(errorEnvelope(error)).toEqual({
        error: { message: 'Internal server error', type: 'server_error', param: null, code: 'internal' },
      });
    },
  );

  it('ends a stream that has begun', () => {
    const renderer = createAnswerRenderer(header());
    const error = new RoostError('worker_unavailable', 'no instance could go on');
    expect(events(renderer.delta('a') + renderer.failure(error)).slice(1)).toEqual([errorEnvelope(error), '[DONE]']);
  });
});

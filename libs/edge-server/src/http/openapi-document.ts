import { ROOST_VERSION } from '@roost/protocol';

const json = (schema: object): object => ({ 'application/json': { schema } });
const reference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

const failure = (description: string): object => ({ description, content: json(reference('Error')) });

const FAILURES = {
  '400': failure('The request is wrong; the message says what to change.'),
  '404': failure('The model is not served here.'),
  '413': failure('The body is larger than `edge.body_limit_bytes`.'),
  '429': failure('The edge is at its limits; `Retry-After` says when to come again.'),
  '502': failure('A worker was lost, and so were the attempts to go on without it.'),
  '503': failure('A fleet has no serving instance; `Retry-After` says when to come again.'),
  '504': failure('The deadline passed.'),
};

const SESSION_HEADER = {
  name: 'x-session-id',
  in: 'header',
  description: 'The conversation; further names are accepted, see docs/http-api.md. At most 512 bytes of UTF-8.',
  schema: { type: 'string' },
};

function generating(summary: string, request: string, answer: string): object {
  return {
    post: {
      summary,
      parameters: [SESSION_HEADER],
      requestBody: { required: true, content: json(reference(request)) },
      responses: {
        '200': {
          description: 'The answer: JSON, or server-sent events for `stream: true`, ended by `data: [DONE]`.',
          content: { ...json(reference(answer)), 'text/event-stream': { schema: { type: 'string' } } },
        },
        ...FAILURES,
      },
    },
  };
}

function readable(summary: string, extra: object = {}): object {
  return { get: { summary, responses: { '200': { description: 'OK', content: json({ type: 'object' }) }, ...extra } } };
}

const SAMPLING = {
  model: { type: 'string' },
  max_tokens: { type: 'integer', minimum: 1 },
  stop: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: 4 }] },
  stream: { type: 'boolean', default: false },
  stream_options: { type: 'object', properties: { include_usage: { type: 'boolean' } } },
  temperature: { type: 'number', minimum: 0, maximum: 2 },
  top_p: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
  seed: { type: 'integer', format: 'int64' },
  n: { type: 'integer', enum: [1] },
  conversation_params: {
    type: 'object',
    additionalProperties: false,
    required: ['conversation_id'],
    properties: { conversation_id: { type: 'string', maxLength: 512 } },
  },
};

const ANSWER = {
  id: { type: 'string' },
  object: { type: 'string' },
  created: { type: 'integer' },
  model: { type: 'string' },
};

const USAGE = {
  type: 'object',
  properties: {
    prompt_tokens: { type: 'integer' },
    completion_tokens: { type: 'integer' },
    total_tokens: { type: 'integer' },
    prompt_tokens_details: { type: 'object', properties: { cached_tokens: { type: 'integer' } } },
  },
};

const choices = (properties: object): object => ({
  type: 'array',
  items: {
    type: 'object',
    properties: {
      index: { type: 'integer' },
      finish_reason: { type: 'string', enum: ['stop', 'length'] },
      ...properties,
    },
  },
});

/** What `/openapi.json` answers: every public route of the edge. */
export const openApiDocument = {
  openapi: '3.1.0',
  info: {
    title: 'Roost edge',
    version: ROOST_VERSION,
    description: 'Agent-aware, disaggregated LLM serving behind the OpenAI API.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  paths: {
    '/v1/chat/completions': generating('Answer a conversation', 'ChatRequest', 'ChatAnswer'),
    '/v1/completions': generating('Continue a text', 'CompletionRequest', 'CompletionAnswer'),
    '/v1/models': readable('The models that can be asked for'),
    '/health': readable('Whether requests can be served', {
      '503': { description: 'A fleet has no serving instance.' },
    }),
    '/live': readable('Whether the process answers'),
    '/version': readable('The version of this edge'),
    '/metrics': readable('Metrics, as Prometheus text'),
    '/cluster_info': readable('Every instance, its ranks and its load'),
    '/openapi.json': readable('This document'),
  },
  components: {
    schemas: {
      ChatRequest: {
        type: 'object',
        required: ['model', 'messages'],
        properties: {
          ...SAMPLING,
          max_completion_tokens: { type: 'integer', minimum: 1 },
          messages: { type: 'array', minItems: 1, items: { type: 'object', required: ['role'] } },
          tools: { type: 'array', items: { type: 'object' } },
        },
      },
      CompletionRequest: {
        type: 'object',
        required: ['model', 'prompt'],
        properties: {
          ...SAMPLING,
          prompt: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'integer' }, minItems: 1 }] },
        },
      },
      ChatAnswer: {
        type: 'object',
        properties: {
          ...ANSWER,
          choices: choices({
            message: { type: 'object', properties: { role: { type: 'string' }, content: { type: 'string' } } },
          }),
          usage: USAGE,
        },
      },
      CompletionAnswer: {
        type: 'object',
        properties: { ...ANSWER, choices: choices({ text: { type: 'string' } }), usage: USAGE },
      },
      Error: {
        type: 'object',
        required: ['error'],
        properties: {
          error: {
            type: 'object',
            required: ['message', 'type', 'param', 'code'],
            properties: {
              message: { type: 'string' },
              type: { type: 'string' },
              param: { type: ['string', 'null'] },
              code: { type: ['string', 'null'] },
            },
          },
        },
      },
    },
  },
} as const;

import { gzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { PARENT_HEADER } from './harness/cluster-files.js';
import { Cluster } from './harness/cluster.js';
import { refusalOf } from './harness/envelope.js';
import { bodyFor, chat } from './harness/http-client.js';
import { PRIVATE_TEXT, promptOn } from './harness/private-text.js';
import { sendBytes, sendHttp } from './harness/raw-http.js';

// Owns: whatever a client sends, it gets an OpenAI error envelope with the right status and nothing of our insides, the
// edge lives on, and nothing is held afterwards. Stopping the cluster checks that no process has logged a prompt.

const BODY_LIMIT = 1_000_000;
const CHAT = '/v1/chat/completions';
const COMPLETIONS = '/v1/completions';
const JSON_TYPE = { 'content-type': 'application/json' };
const good = bodyFor('chat/completions', promptOn('good'));

describe('bad input', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start({ edge: { edge: { body_limit_bytes: BODY_LIMIT } } });
  }, 60_000);

  afterAll(async () => {
    await cluster.stop();
  }, 30_000);

  const malformed: [string, string | Buffer, string][] = [
    ['nothing', '', 'invalid_json'],
    ['half an object', `{"messages": [{"role": "user", "content": "${PRIVATE_TEXT}`, 'invalid_json'],
    ['a stray character', `{"model": "${PRIVATE_TEXT}" x}`, 'invalid_json'],
    ['plain text', PRIVATE_TEXT, 'invalid_json'],
    ['a list', '[]', 'invalid_request'],
    ['null', 'null', 'invalid_request'],
    ['a number', '1e999', 'invalid_request'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]), 'invalid_json'],
    ['a byte order mark in UTF-16', Buffer.from('\ufeff{}', 'utf16le'), 'invalid_json'],
    ['deep nesting', '['.repeat(200_000), 'invalid_json'],
    [
      'deep nesting in a field',
      `{"model":"m","metadata":${'['.repeat(90_000)}${']'.repeat(90_000)}}`,
      'invalid_request',
    ],
  ];

  it.each(malformed)('400: a body that is %s', async (_, body, code) => {
    for (const path of [CHAT, COMPLETIONS]) {
      const answer = await sendHttp(cluster.url, { path, headers: JSON_TYPE, body });
      expect(refusalOf(answer)).toMatchObject({ status: 400, code });
    }
  });

  const wrongChat: [string, unknown, string][] = [
    ['messages', [], 'messages'],
    ['messages', 'hello', 'messages'],
    ['messages', null, 'messages'],
    ['messages', [null], 'messages[0]'],
    ['messages', [{ role: 'king', content: 'x' }], 'messages[0].role'],
    ['messages', [{ role: 'user', content: 7 }], 'messages[0].content'],
    ['messages', [{ role: 'user' }], 'messages[0].content'],
    ['messages', [{ role: 'user', content: [{ type: 'image_url' }] }], 'messages[0].content[0]'],
    ['model', 7, 'model'],
    ['model', null, 'model'],
    ['stream', 'yes', 'stream'],
    ['max_tokens', 0, 'max_tokens'],
    ['max_tokens', 1.5, 'max_tokens'],
    ['max_tokens', 4_000_000_000, 'max_tokens'],
    ['temperature', 'hot', 'temperature'],
    ['temperature', 3, 'temperature'],
    ['top_p', 0, 'top_p'],
    ['stop', [''], 'stop'],
    ['stop', 7, 'stop'],
    ['n', 2, 'n'],
    ['seed', 1.5, 'seed'],
    ['stream_options', { include_usage: true }, 'stream_options'],
    ['conversation_params', 'own-id', 'conversation_params'],
    ['conversation_params', { conversation_id: '  ' }, 'conversation_params.conversation_id'],
    ['conversation_params', { conversation_id: 'a', color: 'red' }, 'conversation_params.color'],
    ['prompt_token_ids', [1, -2], 'prompt_token_ids[1]'],
    ['no_such_field', 1, 'no_such_field'],
    ['chat_template', '{{ messages }}', 'chat_template'],
  ];

  it.each(wrongChat)('400: chat with %s = %j', async (field, value, param) => {
    const body = JSON.stringify({ ...good, [field]: value });
    const answer = await sendHttp(cluster.url, { path: CHAT, headers: JSON_TYPE, body });
    expect(refusalOf(answer)).toMatchObject({ status: 400, param, type: 'invalid_request_error' });
  });

  const wrongPrompts: [unknown, string][] = [
    [[], 'Disaggregated server does not support empty prompt list'],
    [['a', 'b'], 'Disaggregated server currently only supports single string prompt or list of integers in request'],
    [[1, 'b'], ''],
    [{ text: 'x' }, ''],
    [undefined, 'prompt is required'],
  ];

  it.each(wrongPrompts)('400: completions with prompt = %j', async (prompt, message) => {
    const body = JSON.stringify({ model: 'roost-simulated', prompt });
    const answer = await sendHttp(cluster.url, { path: COMPLETIONS, headers: JSON_TYPE, body });
    const { status, param, message: told } = refusalOf(answer);
    expect(status).toBe(400);
    expect(param).toMatch(/^prompt/);
    expect(told).toContain(message);
  });

  it('400: more tokens than the model has room for', async () => {
    const body = JSON.stringify({ ...good, max_tokens: 200_000 });
    const answer = await sendHttp(cluster.url, { path: CHAT, headers: JSON_TYPE, body });
    expect(refusalOf(answer)).toMatchObject({ status: 400, code: 'context_length_exceeded' });
  });

  it.each(['x-session-id', 'x-claude-code-session-id', PARENT_HEADER])(
    '400: %s of more than 512 bytes',
    async (name) => {
      const headers = { ...JSON_TYPE, [name]: 'i'.repeat(513) };
      const answer = await sendHttp(cluster.url, { path: CHAT, headers, body: JSON.stringify(good) });
      expect(refusalOf(answer)).toMatchObject({ status: 400, code: 'invalid_request' });
      const fits = { ...JSON_TYPE, [name]: 'i'.repeat(512) };
      expect((await sendHttp(cluster.url, { path: CHAT, headers: fits, body: JSON.stringify(good) })).status).toBe(200);
    },
  );

  it('400: a conversation id in the body of more than 512 bytes', async () => {
    const body = JSON.stringify({ ...good, conversation_params: { conversation_id: 'é'.repeat(257) } });
    const answer = await sendHttp(cluster.url, { path: CHAT, headers: JSON_TYPE, body });
    expect(refusalOf(answer)).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('404: a model that nobody serves', async () => {
    const body = JSON.stringify({ ...good, model: 'gpt-9' });
    const answer = await sendHttp(cluster.url, { path: CHAT, headers: JSON_TYPE, body });
    expect(refusalOf(answer)).toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it.each([
    ['POST', '/v1/nothing', 404],
    ['GET', '/', 404],
    ['GET', '/v1/../etc/passwd', 404],
    ['GET', '/%00', 404],
    ['GET', '/%', 400],
  ])('%s %s is answered with %s', async (method, path, status) => {
    expect(refusalOf(await sendHttp(cluster.url, { method, path, headers: JSON_TYPE }))).toMatchObject({ status });
  });

  it.each([
    ['GET', CHAT, 'POST'],
    ['DELETE', COMPLETIONS, 'POST'],
    ['POST', '/health', 'GET, HEAD'],
  ])('405: %s %s', async (method, path, allow) => {
    const answer = await sendHttp(cluster.url, { method, path, headers: JSON_TYPE });
    expect(refusalOf(answer)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(answer.headers).toMatchObject({ allow });
  });

  it('serves a request without a content type, for it can be nothing but JSON', async () => {
    expect((await sendHttp(cluster.url, { path: CHAT, body: JSON.stringify(good) })).status).toBe(200);
  });

  it('415: a compressed body', async () => {
    const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' };
    const answer = await sendHttp(cluster.url, { path: CHAT, headers, body: gzipSync(JSON.stringify(good)) });
    expect(refusalOf(answer)).toMatchObject({ status: 415, code: 'unsupported_media_type' });
  });

  it('413: a body over the limit, announced or not', async () => {
    const body = JSON.stringify({ ...good, user: 'u'.repeat(BODY_LIMIT) });
    const answer = await sendHttp(cluster.url, { path: CHAT, headers: JSON_TYPE, body });
    expect(refusalOf(answer)).toMatchObject({ status: 413, code: 'body_too_large' });
    const chunked = { ...JSON_TYPE, 'transfer-encoding': 'chunked' };
    const inChunks = await sendHttp(cluster.url, { path: CHAT, headers: chunked, body });
    expect(refusalOf(inChunks)).toMatchObject({ status: 413, code: 'body_too_large' });
  });

  it('431: more header bytes than allowed', async () => {
    const headers = { ...JSON_TYPE, 'x-padding': 'p'.repeat(20_000) };
    const answer = await sendHttp(cluster.url, { path: CHAT, headers, body: JSON.stringify(good) });
    expect(refusalOf(answer)).toMatchObject({ status: 431, code: 'headers_too_large' });
  });

  it.each([
    ['what is not HTTP', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['two lengths', 'POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n'],
    [
      'a length and chunks',
      'POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n',
    ],
  ])('400: %s', async (_, bytes) => {
    const answer = await sendBytes(cluster.url, bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ error: { code: 'invalid_request' } });
  });

  it('lets nobody set fields of an object that has none of its own', async () => {
    const body = `{"__proto__": {"stream": true}, ${JSON.stringify(good).slice(1)}`;
    const answer = await sendHttp(cluster.url, { path: CHAT, headers: JSON_TYPE, body });
    expect(refusalOf(answer)).toMatchObject({ status: 400, code: 'unsupported_parameter' });
  });

  it('leaves nothing behind, and the edge serves on', async () => {
    await cluster.settled();
    expect((await chat(cluster.url, promptOn('alive'))).status).toBe(200);
  });
});

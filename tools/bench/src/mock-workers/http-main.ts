/**
 * The same mock worker for routers that speak HTTP to theirs: OpenAI's chat completions, and whatever the routers of this
 * comparison ask a vLLM or SGLang server about itself. A prefill worker answers with one token, whatever it is asked for.
 * `--ports N,M --role whole|prefill --rate N`
 */
import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';

import { MODEL, TOKEN_TEXT } from '../load/load-spec.js';

import { TokenClock, type TokenStream } from './token-clock.js';

const { values } = parseArgs({
  options: {
    ports: { type: 'string', default: '0' },
    role: { type: 'string', default: 'whole' },
    rate: { type: 'string', default: '0' },
  },
});
const isPrefill = values.role === 'prefill';
const clock = new TokenClock(Number(values.rate));

const head = { id: 'chatcmpl-0123456789abcdef0123456789abcdef', created: 1_764_000_000, model: MODEL };
const chunk = (delta: object, finishReason: string | null): string =>
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }] })}\n\n`;
const OPENING = chunk({ role: 'assistant', content: '' }, null);
const NEXT = Buffer.from(chunk({ content: TOKEN_TEXT }, null));
const ENDING = `${chunk({}, 'length')}data: [DONE]\n\n`;

/** What SGLang and vLLM servers tell of themselves, in one object for every question. */
const ABOUT = JSON.stringify({
  object: 'list',
  data: [{ id: MODEL, object: 'model', created: head.created, owned_by: 'mock', max_model_len: 1_000_000 }],
  model_path: MODEL,
  served_model_name: MODEL,
  tokenizer_path: MODEL,
  is_generation: true,
  disaggregation_mode: isPrefill ? 'prefill' : 'decode',
  version: '0.0.0',
});

function whole(tokens: number): string {
  const message = { role: 'assistant', content: TOKEN_TEXT.repeat(tokens) };
  return JSON.stringify({
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'length' }],
    usage: { prompt_tokens: 100, completion_tokens: tokens, total_tokens: 100 + tokens },
    // What a vLLM prefill server gives a router to hand over.
    kv_transfer_params: isPrefill
      ? {
          do_remote_prefill: true,
          do_remote_decode: false,
          remote_block_ids: [[1, 2, 3]],
          remote_engine_id: 'mock',
          remote_request_id: 'mock',
          remote_host: '127.0.0.1',
          remote_port: 1,
          tp_size: 1,
        }
      : undefined,
  });
}

/** Reads no more of a body than a mock needs: parsing would cost more than all the rest. */
function asked(body: Buffer): { stream: boolean; tokens: number } {
  const at = Math.max(body.lastIndexOf('"max_tokens"'), body.lastIndexOf('"max_completion_tokens"'));
  const limit = at === -1 ? undefined : /: *(\d+)/.exec(body.toString('latin1', at, at + 50))?.[1];
  const stream = body.includes('"stream":true') || body.includes('"stream": true');
  return { stream, tokens: isPrefill ? 1 : Number(limit ?? 1) };
}

function streamTokens(response: ServerResponse, tokens: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(OPENING);
  let written = 0;
  const stream: TokenStream = {
    next: () => {
      if (response.writableNeedDrain) return false;
      written += 1;
      response.write(NEXT);
      if (written < tokens) return false;
      response.end(ENDING);
      return true;
    },
  };
  clock.add(stream);
  response.once('close', () => clock.remove(stream));
}

function answer(body: Buffer, response: ServerResponse): void {
  const { stream, tokens } = asked(body);
  if (stream) {
    streamTokens(response, tokens);
    return;
  }
  sendJson(response, whole(tokens));
}

function sendJson(response: ServerResponse, json: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(json)) });
  response.end(json);
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.once('end', () => {
    if (request.method === 'POST') answer(Buffer.concat(pieces), response);
    else sendJson(response, ABOUT);
  });
}

for (const port of values.ports.split(',')) {
  const server = createServer({ keepAliveTimeout: 600_000, requestTimeout: 0 }, serve);
  server.listen({ port: Number(port), host: '127.0.0.1', backlog: 4_096 });
}

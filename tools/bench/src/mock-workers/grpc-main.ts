/**
 * A worker without an engine, which costs as little as one can: it answers legs at once, with the token ids that a prompt
 * of that length would have, and streams tokens at a given rate. `--ports N,M --role context|generation --rate N`
 */
import { Buffer } from 'node:buffer';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js';
import { widenReceiveWindows } from '@roost/grpc-transport';
import {
  FinishReason,
  type GenerateRequest,
  GenerateResponse,
  type GetInfoResponse,
  LegServiceService,
  type PrefillRequest,
  type PrefillResponse,
  ROOST_VERSION,
  WorkerServiceService,
} from '@roost/protocol';
import { HealthImplementation } from 'grpc-health-check';

import { MODEL, TOKEN_TEXT } from '../load/load-spec.js';

import { TokenClock, type TokenStream } from './token-clock.js';

const { values } = parseArgs({
  options: {
    ports: { type: 'string', default: '0' },
    role: { type: 'string', default: 'generation' },
    rate: { type: 'string', default: '0' },
  },
});
const addresses = values.ports.split(',').map((port) => `127.0.0.1:${port}`);
const [address = ''] = addresses;
const clock = new TokenClock(Number(values.rate));
const timing = { queueMs: 0, prefillMs: 0, handoffMs: 0 };
const TOKEN_ID = 4_711;
/** Four bytes a token id, and about four characters of JSON a token: as many bytes as the body has. */
const IDS = Buffer.alloc(32 * 1_024 * 1_024);

const encode = (text: string, tokens: number, first: boolean, last: boolean): Buffer =>
  Buffer.from(
    GenerateResponse.encode({
      text,
      tokenIds: Array.from({ length: tokens }, () => TOKEN_ID),
      finishReason: last ? FinishReason.FINISH_REASON_LENGTH : FinishReason.FINISH_REASON_UNSPECIFIED,
      usage: last ? { promptTokens: 100, completionTokens: 1, cachedTokens: 0 } : undefined,
      rank: first ? 0 : undefined,
      timing: first ? timing : undefined,
    }).finish(),
  );
const FIRST = encode(TOKEN_TEXT, 1, true, false);
const NEXT = encode(TOKEN_TEXT, 1, false, false);
const LAST = encode(TOKEN_TEXT, 1, false, true);

const requestIds = { next: 1n };

function prefill({ body, disaggregatedParams: asked }: PrefillRequest): PrefillResponse {
  requestIds.next += 1n;
  return {
    disaggregatedParams: {
      requestType: 'context_only',
      firstGenTokens: [TOKEN_ID],
      ctxRequestId: requestIds.next,
      disaggRequestId: asked?.disaggRequestId,
      encodedOpaqueState: 'bW9jaw',
      ctxInfoEndpoint: address,
      ctxUsage: undefined,
    },
    finishReason: FinishReason.FINISH_REASON_NOT_FINISHED,
    text: '',
    promptTokenIds: IDS.subarray(0, body.length & ~3),
    usage: { promptTokens: body.length >> 2, completionTokens: 1, cachedTokens: 0 },
    rank: 0,
    timing,
  };
}

/** Messages go out as they are encoded once and for all. */
type Call = ServerWritableStream<GenerateRequest, Buffer>;

function generate(call: Call): void {
  const { stream, samplingParams } = call.request;
  const tokens = samplingParams?.maxTokens ?? 1;
  if (stream && tokens > 1) {
    streamTokens(call, tokens);
    return;
  }
  call.write(encode(TOKEN_TEXT.repeat(tokens), tokens, true, true));
  call.end();
}

function streamTokens(call: Call, tokens: number): void {
  let written = 0;
  const stream: TokenStream = {
    next: () => {
      if (call.writableNeedDrain) return false;
      written += 1;
      call.write(written === 1 ? FIRST : written === tokens ? LAST : NEXT);
      if (written < tokens) return false;
      call.end();
      return true;
    },
  };
  clock.add(stream);
  call.on('cancelled', () => clock.remove(stream));
}

widenReceiveWindows();
const server = new Server({ 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 });
const encoded = { ...LegServiceService.generate, responseSerialize: (message: Buffer) => message };
server.addService(
  { ...LegServiceService, generate: encoded },
  {
    prefill: (call: { request: PrefillRequest }, callback: (error: null, answer: PrefillResponse) => void) =>
      callback(null, prefill(call.request)),
    generate,
  },
);
const info: GetInfoResponse = {
  model: MODEL,
  role: values.role === 'context' ? 'CONTEXT' : 'GENERATION',
  version: ROOST_VERSION,
  engine: 'mock',
  numRanks: 1,
  maxBatchSize: 4_096,
  maxNumTokens: 1_000_000,
  maxSeqLen: 1_000_000,
  tokensPerBlock: 32,
  kvCacheHashAlgo: 'none',
  ctxInfoEndpoint: address,
  incarnation: String(process.pid),
  ranks: [],
  queueDepth: 0,
  promptFormat: 'mock',
};
server.addService(WorkerServiceService, {
  getInfo: (_call: unknown, callback: (error: null, answer: GetInfoResponse) => void) => callback(null, info),
});
new HealthImplementation({ '': 'SERVING' }).addToServer(server);
for (const each of addresses) {
  server.bindAsync(each, ServerCredentials.createInsecure(), (error) => {
    if (error !== null) throw error;
  });
}

/**
 * A worker without an engine, which costs as little as one can: it answers legs at once, with the token ids that a prompt
 * of that length would have, and streams tokens at a given rate. `--ports N,M --role context|generation --rate N`
 */
import { Buffer } from 'node:buffer';
import type { ServerHttp2Stream } from 'node:http2';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import {
  FinishReason,
  GENERATE,
  GenerateRequest,
  GenerateResponse,
  GetInfoResponse,
  PREFILL,
  PrefillRequest,
  PrefillResponse,
  ROOST_VERSION,
  WorkerServiceService,
} from '@roost/protocol';

import { MODEL, TOKEN_TEXT } from '../load/load-spec.js';

import { answer, beginAnswer, type Call, framed, serveCalls } from './grpc-calls.js';
import { beginningOf } from './leg-beginning.js';
import { TokenClock, type TokenStream } from './token-clock.js';

const { values } = parseArgs({
  options: {
    ports: { type: 'string', default: '0' },
    role: { type: 'string', default: 'generation' },
    rate: { type: 'string', default: '0' },
  },
});
const ports = values.ports.split(',').map(Number);
const address = `127.0.0.1:${String(ports[0])}`;
const clock = new TokenClock(Number(values.rate));
const timing = { queueMs: 0, prefillMs: 0, handoffMs: 0 };
const TOKEN_ID = 4_711;
/** Four bytes a token id, and about four characters of JSON a token: as many bytes as the body has. */
const IDS = Buffer.alloc(32 * 1_024 * 1_024);
const NO_IDS = Buffer.alloc(0);
/** A context answer's field `prompt_token_ids`. */
const PROMPT_TOKEN_IDS = 4;

const encode = (text: string, tokens: number, first: boolean, last: boolean): Buffer =>
  framed(
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

function prefill({ stream, beginning }: Call): void {
  const { fields, bodyLength } = beginningOf(beginning);
  const { disaggregatedParams: asked } = PrefillRequest.decode(fields);
  requestIds.next += 1n;
  const message: PrefillResponse = {
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
    promptTokenIds: NO_IDS,
    usage: { promptTokens: bodyLength >> 2, completionTokens: 1, cachedTokens: 0 },
    rank: 0,
    timing,
  };
  answerWithIds(stream, PrefillResponse.encode(message), bodyLength & ~3);
}

/** The same bytes as if the ids had been in the message, without copying them. */
function answerWithIds(stream: ServerHttp2Stream, message: BinaryWriter, length: number): void {
  const small = message.tag(PROMPT_TOKEN_IDS, WireType.LengthDelimited).uint32(length).finish();
  beginAnswer(stream);
  stream.write(framed(small, length));
  stream.end(IDS.subarray(0, length));
}

function generate({ stream, beginning }: Call): void {
  const { stream: isStream, samplingParams } = GenerateRequest.decode(beginningOf(beginning).fields);
  const tokens = samplingParams?.maxTokens ?? 1;
  if (!isStream || tokens <= 1) {
    answer(stream, encode(TOKEN_TEXT.repeat(tokens), tokens, true, true));
    return;
  }
  let written = 0;
  const tokenStream: TokenStream = {
    next: () => {
      if (stream.writableNeedDrain) return false;
      written += 1;
      stream.write(written === 1 ? FIRST : written === tokens ? LAST : NEXT);
      if (written < tokens) return false;
      stream.end();
      return true;
    },
  };
  beginAnswer(stream);
  clock.add(tokenStream);
  stream.once('close', () => clock.remove(tokenStream));
}

/** One worker for each port, although one process serves them. */
const infoOf = (port: number): GetInfoResponse => ({
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
  incarnation: `${String(process.pid)}-${String(port)}`,
  ranks: [],
  queueDepth: 0,
  promptFormat: 'mock',
});
/** `grpc.health.v1.HealthCheckResponse` with the status SERVING. */
const SERVING = framed(Buffer.from([0x08, 0x01]));

function serve(port: number): void {
  const info = framed(GetInfoResponse.encode(infoOf(port)).finish());
  const methods = new Map<string, (call: Call) => void>([
    [PREFILL.path, prefill],
    [GENERATE.path, generate],
    [WorkerServiceService.getInfo.path, ({ stream }) => answer(stream, info)],
    ['/grpc.health.v1.Health/Check', ({ stream }) => answer(stream, SERVING)],
  ]);
  serveCalls((call) => methods.get(call.path)?.(call)).listen({ port, host: '127.0.0.1', backlog: 4_096 });
}

for (const port of ports) serve(port);

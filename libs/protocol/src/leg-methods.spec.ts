// Owns: that legs' messages read the same whoever has encoded them.
import { Buffer } from 'node:buffer';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import {
  Endpoint,
  FinishReason,
  GenerateRequest,
  PrefillRequest,
  PrefillResponse,
  TokenizeRequest,
} from './generated/roost/worker/v1/worker.js';
import { GENERATE, PREFILL, TOKENIZE } from './leg-methods.js';

const bytes = fc
  .tuple(fc.constantFrom(0, 1, 127, 128, 300, 16_383, 16_384, 70_000), fc.nat(255))
  .map(([length, value]) => Buffer.alloc(length, value));
const prefill = fc.record({
  endpoint: fc.constantFrom(Endpoint.ENDPOINT_CHAT_COMPLETIONS, Endpoint.ENDPOINT_COMPLETIONS),
  model: fc.string(),
  body: bytes,
  conversationId: fc.option(fc.string(), { nil: undefined }),
  disaggregatedParams: fc.constant(undefined),
  schedulingParams: fc.constant(undefined),
  samplingParams: fc.option(fc.record({ stop: fc.array(fc.string()), ignoreEos: fc.boolean() }), { nil: undefined }),
  promptTokenIds: bytes,
  requestId: fc.string(),
});
const generate = fc
  .tuple(prefill, fc.boolean(), fc.array(fc.nat(200_000)))
  .map(([common, stream, generatedTokenIds]) => ({ ...common, stream, generatedTokenIds }));

interface Codec<Message> {
  decode(bytes: Uint8Array): Message;
  encode(message: Message): { finish(): Uint8Array };
}

/** What a reader makes of the bytes, in the order of the generated encoder. */
function normal<Message>(codec: Codec<Message>, bytes: Uint8Array): Buffer {
  return Buffer.from(codec.encode(codec.decode(bytes)).finish());
}

describe('an encoded leg', () => {
  it('reads as what the generated encoder makes of a prefill, and is as long', () => {
    fc.assert(
      fc.property(prefill, (message) => {
        const reference = Buffer.from(PrefillRequest.encode(message).finish());
        const encoded = Buffer.concat(PREFILL.encode(message));
        expect(encoded).toHaveLength(reference.length);
        expect(normal(PrefillRequest, encoded).equals(reference)).toBe(true);
      }),
    );
  });

  it('does so of a generation', () => {
    fc.assert(
      fc.property(generate, (message) => {
        const reference = Buffer.from(GenerateRequest.encode(message).finish());
        const encoded = Buffer.concat(GENERATE.encode(message));
        expect(encoded).toHaveLength(reference.length);
        expect(normal(GenerateRequest, encoded).equals(reference)).toBe(true);
      }),
    );
  });

  it('does so of a prompt that is to be tokenised', () => {
    const request = prefill.map(({ endpoint, model, body }) => ({ endpoint, model, body }));
    fc.assert(
      fc.property(request, (message) => {
        const reference = Buffer.from(TokenizeRequest.encode(message).finish());
        expect(Buffer.concat(TOKENIZE.encode(message)).equals(reference)).toBe(true);
      }),
    );
  });

  it('is answered with what the generated decoder reads, field by field', () => {
    const answer = fc.record({
      disaggregatedParams: fc.constant(undefined),
      finishReason: fc.constantFrom(FinishReason.FINISH_REASON_STOP, FinishReason.FINISH_REASON_NOT_FINISHED),
      text: fc.string(),
      promptTokenIds: bytes,
      usage: fc.option(fc.record({ promptTokens: fc.nat(), completionTokens: fc.nat(), cachedTokens: fc.nat() }), {
        nil: undefined,
      }),
      rank: fc.nat(),
      timing: fc.constant(undefined),
    });
    fc.assert(
      fc.property(fc.array(answer, { minLength: 1, maxLength: 3 }), (answers) => {
        // Messages one after the other are one message, in which later fields count.
        const encoded = Buffer.concat(answers.map((each) => PrefillResponse.encode(each).finish()));
        const read = Buffer.from(PrefillResponse.encode(PREFILL.decode(encoded)).finish());
        expect(read.equals(normal(PrefillResponse, encoded))).toBe(true);
      }),
    );
  });
});

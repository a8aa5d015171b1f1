import { Metadata } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { type ConversationTurn, type Engine, EngineRefusal } from '@roost/engine';
import { decodeTokenIds, Endpoint, type TokenizeRequest, WORKER_INCARNATION } from '@roost/protocol';

import { TokenizeService } from './tokenize-service.js';

// Owns: what a worker says of a prompt's tokens, and what it refuses as its legs would.

function serviceOf(tokenize: (turn: ConversationTurn) => Uint32Array): TokenizeService {
  const info = { model: 'm', maxSeqLen: 4, defaultMaxTokens: 16 } as Engine['info'];
  const engine = { info, tokenize: (turn: ConversationTurn) => Promise.try(() => tokenize(turn)) };
  return new TokenizeService({ engine: engine as unknown as Engine, incarnation: 'this' });
}

const request = (over: Partial<TokenizeRequest> = {}): TokenizeRequest => ({
  endpoint: Endpoint.ENDPOINT_CHAT_COMPLETIONS,
  model: 'm',
  body: Buffer.from('{"messages":[]}'),
  ...over,
});

describe('TokenizeService', () => {
  it.each([
    [Endpoint.ENDPOINT_CHAT_COMPLETIONS, 'chat'],
    [Endpoint.ENDPOINT_COMPLETIONS, 'completions'],
  ])("gives the engine's tokens of what the client sent, %s", async (endpoint, kind) => {
    const turns: ConversationTurn[] = [];
    const service = serviceOf((turn) => {
      turns.push(turn);
      return Uint32Array.of(1, 70_000, 3);
    });
    const { promptTokenIds } = await service.tokenize(request({ endpoint }), new Metadata());
    expect([...decodeTokenIds(promptTokenIds)]).toEqual([1, 70_000, 3]);
    expect(turns).toEqual([{ endpoint: kind, body: { messages: [] } }]);
  });

  it.each([
    ['a prompt that leaves no room', request(), { code: 'context_length_exceeded' }],
    ['another model', request({ model: 'x' }), { code: 'model_not_found', param: 'model' }],
    ['a body that is none', request({ body: Buffer.from('[') }), { code: 'invalid_json' }],
  ])('refuses %s', async (_, message, expected) => {
    const service = serviceOf(() => new Uint32Array(4));
    await expect(service.tokenize(message, new Metadata())).rejects.toMatchObject(expected);
  });

  it("passes an engine's refusal on", async () => {
    const service = serviceOf(() => {
      throw new EngineRefusal('unsupported_parameter', 'no tools', 'tools');
    });
    const refused = service.tokenize(request(), new Metadata());
    await expect(refused).rejects.toMatchObject({ code: 'unsupported_parameter', param: 'tools' });
  });

  it('sends away what was meant for another process', async () => {
    const metadata = new Metadata();
    metadata.set(WORKER_INCARNATION, 'earlier');
    const service = serviceOf(() => Uint32Array.of(1));
    await expect(service.tokenize(request(), metadata)).rejects.toMatchObject({ code: 'worker_unavailable' });
  });
});

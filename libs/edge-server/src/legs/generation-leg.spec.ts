import { Metadata } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import type { Instance } from '@roost/fleet';
import { BytesBuilder, HeldBytes } from '@roost/held-bytes';
import { GenerateResponse, type GenerateRequest, PrefillResponse } from '@roost/protocol';

import type { Reservation, RoutedFleet } from '../fleets/routed-fleet.js';
import { ServedRequest } from '../request/served-request.js';

import { beginGeneration, startFrom } from './generation-leg.js';
import type { LegParts } from './leg-parts.js';

// Owns: that what a generation leg carries stays whole until the worker has it, and no longer, whatever it carries.

const LONG = 100_000;

function held(fill: string): HeldBytes {
  const builder = new BytesBuilder(LONG);
  builder.add(Buffer.alloc(LONG, fill));
  return new HeldBytes(builder.finish());
}

interface Sent {
  readonly message: GenerateRequest;
  readonly onSent: () => void;
}

function never(): never {
  throw new Error('nothing was sent');
}

function requestOf(body: HeldBytes): ServedRequest {
  const client = { bytes: body.bytes, endpoint: 'chat', model: 'm', sampling: { stop: [] } };
  const identity = { conversationId: 'c', subagentAffinityId: null };
  const { signal } = new AbortController();
  return new ServedRequest('r', client as never, identity as never, Date.now() + 60_000, signal, body);
}

/** Begins a leg with these tokens of the context leg, and ends its request before the worker has taken it. */
async function begun(request: ServedRequest, tokens: HeldBytes): Promise<Sent> {
  const sent: Sent[] = [];
  const legs = {
    async *stream(_: unknown, message: GenerateRequest, __: Metadata, { onSent }: Pick<Sent, 'onSent'>) {
      sent.push({ message, onSent });
      yield await Promise.resolve(GenerateResponse.fromPartial({ text: 'first' }));
    },
  };
  const instance = { server: 'a:1', legs, address: () => undefined } as unknown as Instance;
  const attempt = { end: () => undefined, span: null };
  const placement = { decision: 'sticky', reason: '', routingKey: null };
  const reserved = { instance, attempt, placement, release: () => undefined } as unknown as Reservation;
  const parts = { signer: { metadataFor: () => new Metadata() }, budget: {} } as unknown as LegParts;
  const cache = { handedOver: () => undefined, giveUp: () => undefined };
  const prefilled = { answer: PrefillResponse.fromPartial({}), server: 'b:1', cache, tokens };
  await beginGeneration(parts, {} as RoutedFleet, request, startFrom(parts, request, prefilled, [], reserved));
  tokens.release();
  request.body.release();
  return sent[0] ?? never();
}

describe('what a generation leg carries', () => {
  it('is the tokens of the context leg, whole until they are sent', async () => {
    const [body, tokens] = [held('b'), held('t')];
    const { message, onSent } = await begun(requestOf(body), tokens);
    expect([body.bytes.length, message.body.length]).toEqual([0, 0]);
    expect(message.promptTokenIds.toString()).toBe('t'.repeat(LONG));
    onSent();
    expect(tokens.bytes.length).toBe(0);
  });

  it('is the body where the context leg told no tokens, whole until it is sent', async () => {
    const body = held('b');
    const { message, onSent } = await begun(requestOf(body), new HeldBytes(Buffer.alloc(0)));
    expect(message.body.toString()).toBe('b'.repeat(LONG));
    onSent();
    expect(body.bytes.length).toBe(0);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { KvExport } from '@roost/engine';
import type { PullResponse } from '@roost/protocol';
import fc from 'fast-check';

import { sealed, unseal } from './checked-stream.js';

// Owns: that what arrives is what was sent, or an error, for any damage on the way.

async function* each<T>(values: readonly T[]): AsyncGenerator<T, void> {
  for (const value of values) yield await Promise.resolve(value);
}

const NEWS = { firstTokens: [5], usage: { promptTokens: 3, completionTokens: 1, cachedTokens: 1 } };

function exportOf(chunks: readonly Uint8Array[]): KvExport {
  const numBytes = chunks.reduce((sum, { length }) => sum + length, 0);
  const description = { engine: 'e', model: 'm', layout: 'l', numTokens: 3, skippedTokens: 1, numBytes };
  return { description, chunks: each(chunks) };
}

async function messagesOf(chunks: readonly Uint8Array[]): Promise<PullResponse[]> {
  const messages: PullResponse[] = [];
  for await (const message of sealed(exportOf(chunks), NEWS)) messages.push(message);
  return messages;
}

async function arrive(messages: readonly PullResponse[]): Promise<Buffer> {
  const { chunks } = await unseal(each(messages));
  const received: Uint8Array[] = [];
  for await (const chunk of chunks) received.push(chunk);
  return Buffer.concat(received);
}

const someChunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 6 });

describe('a sealed KV stream', () => {
  it('arrives as it was sent', () =>
    fc.assert(
      fc.asyncProperty(someChunks, async (chunks) => {
        const messages = await messagesOf(chunks);
        expect(await arrive(messages)).toEqual(Buffer.concat(chunks));
        const { description, news } = await unseal(each(messages));
        expect([description, news]).toEqual([exportOf(chunks).description, NEWS]);
      }),
    ));

  it('is refused when any one bit of it has changed', () =>
    fc.assert(
      fc.asyncProperty(someChunks, fc.nat(), fc.nat({ max: 7 }), async (chunks, where, bit) => {
        const messages = await messagesOf(chunks);
        const bytes = messages.flatMap(({ chunk }) => (chunk === undefined ? [] : [chunk]));
        const chosen = bytes[where % bytes.length] ?? Buffer.alloc(1);
        const index = where % chosen.length;
        chosen[index] = (chosen[index] ?? 0) ^ (1 << bit);
        await expect(arrive(messages)).rejects.toMatchObject({ code: 'kv_transfer_failed' });
      }),
    ));

  it('is refused when any one message is missing', () =>
    fc.assert(
      fc.asyncProperty(someChunks, fc.nat(), async (chunks, where) => {
        const messages = await messagesOf(chunks);
        messages.splice(where % messages.length, 1);
        await expect(arrive(messages)).rejects.toMatchObject({ code: 'kv_transfer_failed' });
      }),
    ));
});

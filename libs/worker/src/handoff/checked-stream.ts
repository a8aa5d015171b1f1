import { crc32 } from 'node:zlib';

import type { KvDescription, KvExport } from '@roost/engine';
import { type PullResponse, RoostError, type Usage } from '@roost/protocol';

/** What a context leg has to say to a generation leg that was started together with it. */
export interface ContextNews {
  readonly firstTokens: readonly number[];
  readonly usage: Usage;
}

/** The messages of a cache on its way: description, bytes, and a checksum over the bytes. */
export async function* sealed(
  { description, chunks }: KvExport,
  { firstTokens, usage }: ContextNews,
): AsyncGenerator<PullResponse> {
  const { numBytes, ...rest } = description;
  const header = { ...rest, numBytes: BigInt(numBytes), firstGenTokens: [...firstTokens], ctxUsage: usage };
  yield { header, chunk: undefined, trailer: undefined };
  let crc = 0;
  let total = 0;
  for await (const chunk of chunks) {
    crc = crc32(chunk, crc);
    total += chunk.length;
    yield { header: undefined, chunk: Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length), trailer: undefined };
  }
  yield { header: undefined, chunk: undefined, trailer: { numBytes: BigInt(total), crc32: crc } };
}

/** A cache that arrives. */
export interface Unsealed {
  readonly description: KvDescription;
  readonly news: ContextNews;
  /** Ends only after the checksum has been found right. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Reads what {@link sealed} wrote.
 *
 * @throws RoostError `kv_transfer_failed`, here or while reading the chunks, when messages are missing, out of order or
 *   changed on the way
 */
export async function unseal(messages: AsyncGenerator<PullResponse, void>): Promise<Unsealed> {
  const first = await messages.next();
  const header = first.done === true ? undefined : first.value.header;
  if (header === undefined) {
    await messages.return();
    throw new RoostError('kv_transfer_failed', 'the KV stream began without a header');
  }
  const { firstGenTokens: firstTokens, ctxUsage, numBytes, ...rest } = header;
  return {
    description: { ...rest, numBytes: Number(numBytes) },
    news: { firstTokens, usage: ctxUsage ?? NO_USAGE },
    chunks: checkedChunks(messages),
  };
}

const NO_USAGE: Usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 };

async function* checkedChunks(messages: AsyncGenerator<PullResponse, void>): AsyncGenerator<Uint8Array> {
  let crc = 0;
  let total = 0;
  for await (const { chunk, trailer } of messages) {
    if (chunk !== undefined) {
      crc = crc32(chunk, crc);
      total += chunk.length;
      yield chunk;
    } else if (trailer !== undefined) {
      if (trailer.crc32 === crc && Number(trailer.numBytes) === total) return;
      throw new RoostError('kv_transfer_failed', 'the KV stream arrived with a wrong checksum');
    }
  }
  throw new RoostError('kv_transfer_failed', 'the KV stream ended early');
}

import type { TokenChain } from '@roost/block-cache';
import { type KvDescription, KvMismatch } from '@roost/engine';

import { KvBytes } from './kv-bytes.js';

const STRIDE = 65_536;

/** The cache that a receiver waits for. */
export interface ExpectedKv {
  readonly engine: string;
  readonly model: string;
  readonly layout: string;
  readonly chain: TokenChain;
  readonly numTokens: number;
  /** Leading tokens that the receiver holds already, and that may be left out. */
  readonly cachedTokens: number;
  readonly bytesPerToken: number;
}

/** Compares a cache that arrives, byte for byte, with the one that was asked for. */
export class KvCheck {
  private readonly bytes: KvBytes;
  private readonly numBytes: number;
  private readonly firstToken: number;
  private wanted: Uint8Array = new Uint8Array(0);
  private received = 0;

  /** @throws KvMismatch when the description is not of the expected cache, naming what differs */
  constructor(
    private readonly expected: ExpectedKv,
    description: KvDescription,
  ) {
    const { chain, numTokens, bytesPerToken, cachedTokens } = expected;
    for (const field of ['engine', 'model', 'layout', 'numTokens'] as const) {
      requireEqual(field, expected[field], description[field]);
    }
    const { skippedTokens } = description;
    if (!(skippedTokens >= 0 && skippedTokens <= cachedTokens)) {
      throw new KvMismatch(
        `skippedTokens is ${String(skippedTokens)}, but only ${String(cachedTokens)} are cached here`,
      );
    }
    this.firstToken = skippedTokens;
    this.numBytes = (numTokens - skippedTokens) * bytesPerToken;
    requireEqual('numBytes', this.numBytes, description.numBytes);
    this.bytes = new KvBytes(chain, bytesPerToken, skippedTokens, numTokens);
  }

  /** @throws KvMismatch at the first byte that is wrong or too many, naming the token that it belongs to */
  take(chunk: Uint8Array): void {
    for (let start = 0; start < chunk.length;) {
      if (this.wanted.length === 0) this.wanted = this.bytes.next(STRIDE);
      const count = Math.min(this.wanted.length, chunk.length - start);
      if (count === 0) {
        throw new KvMismatch(`more than the ${String(this.numBytes)} bytes expected`);
      }
      this.compare(chunk.subarray(start, start + count), count);
      start += count;
    }
  }

  /** @throws KvMismatch when bytes are missing */
  finish(): void {
    requireEqual('numBytes received', this.numBytes, this.received);
  }

  private compare(got: Uint8Array, count: number): void {
    const wanted = this.wanted.subarray(0, count);
    if (Buffer.compare(got, wanted) !== 0) {
      const at = this.received + got.findIndex((byte, i) => byte !== wanted[i]);
      const token = this.firstToken + Math.floor(at / this.expected.bytesPerToken);
      throw new KvMismatch(`the bytes of token ${String(token)} of ${String(this.expected.numTokens)} differ`);
    }
    this.received += count;
    this.wanted = this.wanted.subarray(count);
  }
}

function requireEqual(name: string, expected: string | number, got: string | number): void {
  if (expected !== got) {
    throw new KvMismatch(`${name} is ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`);
  }
}

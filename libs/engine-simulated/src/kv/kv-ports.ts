import type { TokenChain } from '@roost/block-cache';
import { type EngineInfo, type KvExport, KvMismatch } from '@roost/engine';

import type { Clock } from '../clock.js';
import type { Sequence } from '../core/sequence.js';
import type { SimulatedEngineOptions } from '../options.js';

import { exportChunks } from './export-chunks.js';
import { KvBytes } from './kv-bytes.js';
import type { ExpectedKv } from './kv-check.js';
import { KvLink } from './kv-link.js';

/** Where KV caches leave and reach the ranks of an engine. */
export class KvPorts {
  private readonly outgoingLinks: readonly KvLink[];
  private readonly incomingLinks: readonly KvLink[];

  constructor(
    private readonly info: EngineInfo,
    private readonly options: SimulatedEngineOptions,
    clock: Clock,
  ) {
    const links = (): KvLink[] => Array.from({ length: info.numRanks }, () => new KvLink(clock, options));
    this.outgoingLinks = links();
    this.incomingLinks = links();
  }

  /**
   * A sequence's cache as far as it is computed, without the leading `skipTokens`.
   *
   * @throws KvMismatch when more is to be skipped than there is
   */
  send(rank: number, sequence: Sequence<TokenChain>, skipTokens: number): KvExport {
    const { engine, model, kvLayout: layout } = this.info;
    const numTokens = sequence.computedTokens;
    if (!(skipTokens >= 0 && skipTokens <= numTokens)) {
      throw new KvMismatch(`cannot skip ${String(skipTokens)} of ${String(numTokens)} tokens`);
    }
    const bytesPerToken = this.options.kvBytesPerToken;
    const bytes = new KvBytes(sequence.chain, bytesPerToken, skipTokens, numTokens);
    return {
      description: {
        engine,
        model,
        layout,
        numTokens,
        skippedTokens: skipTokens,
        numBytes: (numTokens - skipTokens) * bytesPerToken,
      },
      chunks: exportChunks(bytes, linkOf(this.outgoingLinks, rank), () => sequence.phase !== 'gone'),
    };
  }

  /** The cache that a sequence waits for. */
  expect(sequence: Sequence<TokenChain>): ExpectedKv {
    const { engine, model, kvLayout: layout } = this.info;
    return {
      engine,
      model,
      layout,
      chain: sequence.chain,
      numTokens: sequence.promptLength,
      cachedTokens: sequence.cachedTokens,
      bytesPerToken: this.options.kvBytesPerToken,
    };
  }

  /** The link over which caches reach a rank. */
  incoming(rank: number): KvLink {
    return linkOf(this.incomingLinks, rank);
  }
}

function linkOf(links: readonly KvLink[], rank: number): KvLink {
  const link = links[rank];
  if (link === undefined) throw new RangeError(`no rank ${String(rank)}`);
  return link;
}

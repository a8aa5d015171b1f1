import { Metadata } from '@grpc/grpc-js';
import { callStream } from '@roost/grpc-transport';
import { type BlockHashes, OwnerFeed, type PrefixIndex } from '@roost/prefix-index';
import type { FollowResponse } from '@roost/protocol';

import type { Instance } from './instance.js';

/** Milliseconds before an instance whose event stream has ended is asked again. */
const PAUSE_MS = 200;

/**
 * Keeps an index true to what one instance holds: follows its events from a snapshot on, and forgets all that it knows of
 * the instance as soon as that may have become false - the stream ends, a message is missing, the worker has restarted.
 */
export class KvFollower {
  private feeds = new Map<number, OwnerFeed>();
  private readonly stopped = new AbortController();

  constructor(
    private readonly instance: Instance,
    private readonly index: PrefixIndex,
  ) {}

  /** Follows until {@link stop}, through every end of the stream. */
  async run(): Promise<void> {
    while (!this.stopped.signal.aborted) {
      if (this.instance.serving) await this.followOnce();
      await pause();
    }
  }

  stop(): void {
    this.stopped.abort();
  }

  private async followOnce(): Promise<void> {
    this.feeds = new Map();
    const { events, server } = this.instance;
    const bounds = { signal: this.stopped.signal, deadline: Infinity };
    try {
      for await (const message of callStream(events.follow.bind(events), {}, new Metadata(), bounds)) {
        if (!this.take(message)) break;
      }
    } catch {
      // The instance is gone, or has no events to give: nothing is known of it until it has.
    } finally {
      this.index.drop(server);
    }
  }

  /** False when the stream has to begin anew. */
  private take({ incarnation, rank, sequence, snapshot, stored, removed }: FollowResponse): boolean {
    const feed = this.feeds.get(rank) ?? new OwnerFeed();
    this.feeds.set(rank, feed);
    const head = { incarnation, sequence };
    const step = feed.take(
      snapshot
        ? { ...head, type: 'snapshot', hashes: hashesOf(stored) }
        : { ...head, type: 'delta', stored: hashesOf(stored), removed: hashesOf(removed) },
    );
    if (step.step === 'resync') return false;
    if (step.step === 'replace') this.index.replace(this.instance.server, rank, step.hashes);
    if (step.step === 'apply') this.index.apply(this.instance.server, rank, step.change);
    return true;
  }
}

function hashesOf(hashes: readonly bigint[]): BlockHashes {
  return BigUint64Array.from(hashes);
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, PAUSE_MS).unref();
  });
}

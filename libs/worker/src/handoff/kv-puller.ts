import { credentials, Metadata } from '@grpc/grpc-js';
import { type CallBounds, callStream, callUnary, CHANNEL_OPTIONS, insist } from '@roost/grpc-transport';
import type { Span } from '@roost/observability';
import { DISAGG_AUTH, KvTransferServiceClient, type PullResponse, RoostError } from '@roost/protocol';

import { type Unsealed, unseal } from './checked-stream.js';
import { KvChannel } from './kv-channel.js';

/** Which cache to take over, and the proof that the edge said so. */
export interface HandoffTicket {
  readonly endpoint: string;
  readonly ctxRequestId: bigint;
  readonly encodedOpaqueState: string;
  /** The edge's signature over endpoint and state, passed on as it came; null where no key is set. */
  readonly auth: string | null;
  /** Whether the cache may not be there yet. */
  readonly awaited: boolean;
  /** The step that it is taken over in. */
  readonly span: Span;
}

const MAX_CHANNELS = 256;

/** How long after the last message of a cache its call may take to end, before it is cancelled. */
const END_WITHIN_MS = 1_000;

const CONFIRM_WITHIN_MS = 5_000;

/** Fetches caches from context workers, over one channel for each, kept for as long as it is among the last used. */
export class KvPuller {
  private readonly channels = new Map<string, KvChannel>();
  private closed = false;

  /**
   * @param timeoutMs the longest that one transfer may take (`kv_transfer_timeout_ms`)
   * @param arrived told the bytes of every part of a cache that arrives
   * @param open opens a channel to an endpoint
   */
  constructor(
    private readonly timeoutMs: number,
    private readonly arrived: (bytes: number) => void,
    private readonly open: (endpoint: string) => KvTransferServiceClient = openChannel,
  ) {}

  /**
   * Starts a transfer, leaving out the leading `skipTokens`.
   *
   * @throws RoostError `kv_cache_gone` also when the context worker is gone, `kv_transfer_failed` also when time is up,
   *   `invalid_request` for an endpoint that is no address; the signal's reason when it aborts
   */
  async pull(ticket: HandoffTicket, skipTokens: number, signal: AbortSignal): Promise<Unsealed> {
    const wasOpen = this.channels.has(ticket.endpoint);
    const bounds = { signal, deadline: Date.now() + this.timeoutMs };
    try {
      return await this.pullOver(ticket, skipTokens, bounds);
    } catch (error) {
      if (!wasOpen || !hasNoSuchCache(error)) throw error;
      return await this.pullOver(ticket, skipTokens, bounds);
    }
  }

  /**
   * Tells the context worker that the cache has arrived, again where it may not have heard. What it never hears costs room
   * until the cache expires, no more.
   */
  async confirm(ticket: HandoffTicket): Promise<void> {
    await insist(async () => {
      if (this.closed) return;
      const channel = this.channelTo(ticket.endpoint);
      const { client } = channel;
      const bounds = { signal: AbortSignal.timeout(CONFIRM_WITHIN_MS), deadline: Date.now() + CONFIRM_WITHIN_MS };
      channel.begin();
      try {
        await callUnary(client.release.bind(client), requestOf(ticket), metadataOf(ticket), bounds);
      } finally {
        channel.end();
      }
    });
  }

  close(): void {
    this.closed = true;
    for (const channel of this.channels.values()) channel.giveUp();
    this.channels.clear();
  }

  private async pullOver(ticket: HandoffTicket, skipTokens: number, within: CallBounds): Promise<Unsealed> {
    const channel = this.channelTo(ticket.endpoint);
    return await unseal(this.messagesOver(channel, ticket, skipTokens, within));
  }

  /** Whoever asked for the generation would take a lost context worker for the loss of this one. */
  private async *messagesOver(
    channel: KvChannel,
    ticket: HandoffTicket,
    skipTokens: number,
    within: CallBounds,
  ): AsyncGenerator<PullResponse, void, undefined> {
    const { client } = channel;
    const request = { ...requestOf(ticket), skipTokens, awaited: ticket.awaited };
    const bounds = { ...within, graceMs: END_WITHIN_MS };
    channel.begin();
    try {
      for await (const message of callStream(client.pull.bind(client), request, metadataOf(ticket), bounds)) {
        if (message.chunk !== undefined) this.arrived(message.chunk.length);
        yield message;
      }
    } catch (error) {
      const code = error instanceof RoostError ? error.code : null;
      if (code === 'kv_cache_gone' || code === 'worker_unavailable') this.giveUp(channel, ticket.endpoint);
      throw this.blamingTheTransfer(error);
    } finally {
      channel.end();
    }
  }

  private blamingTheTransfer(error: unknown): unknown {
    const code = error instanceof RoostError ? error.code : null;
    if (code === 'worker_unavailable') {
      return new RoostError('kv_cache_gone', 'the context worker is gone, and the KV cache with it', { cause: error });
    }
    if (code === 'deadline_exceeded') {
      const message = `the KV cache did not arrive within ${String(this.timeoutMs)} ms`;
      return new RoostError('kv_transfer_failed', message, { cause: error });
    }
    return error;
  }

  /**
   * A worker that has no such cache may be another than the one that the endpoint's name stands for by now: where workers
   * have restarted, addresses change hands, and a channel stays with its address. A new channel looks the name up anew.
   */
  private giveUp(channel: KvChannel, endpoint: string): void {
    if (this.channels.get(endpoint) !== channel) return;
    this.channels.delete(endpoint);
    channel.giveUp();
  }

  private channelTo(endpoint: string): KvChannel {
    const channel = this.channels.get(endpoint) ?? new KvChannel(this.open(endpoint));
    this.channels.delete(endpoint);
    this.channels.set(endpoint, channel);
    for (const [oldest, unused] of this.channels) {
      if (this.channels.size <= MAX_CHANNELS) break;
      this.giveUp(unused, oldest);
    }
    return channel;
  }
}

/** Whether a context worker has answered that it has no such cache, and not been lost. */
function hasNoSuchCache(error: unknown): boolean {
  return error instanceof RoostError && error.code === 'kv_cache_gone' && !(error.cause instanceof RoostError);
}

function openChannel(endpoint: string): KvTransferServiceClient {
  try {
    return new KvTransferServiceClient(endpoint, credentials.createInsecure(), CHANNEL_OPTIONS);
  } catch (cause) {
    throw new RoostError('invalid_request', 'ctx_info_endpoint is not an address', {
      param: 'ctx_info_endpoint',
      cause,
    });
  }
}

function requestOf({ endpoint, ctxRequestId, encodedOpaqueState }: HandoffTicket): {
  ctxRequestId: bigint;
  encodedOpaqueState: string;
  ctxInfoEndpoint: string;
} {
  return { ctxRequestId, encodedOpaqueState, ctxInfoEndpoint: endpoint };
}

function metadataOf({ auth, span }: HandoffTicket): Metadata {
  const metadata = new Metadata();
  span.carry((field, value) => metadata.set(field, value));
  if (auth !== null) metadata.set(DISAGG_AUTH, auth);
  return metadata;
}

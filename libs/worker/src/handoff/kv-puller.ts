import { credentials, Metadata } from '@grpc/grpc-js';
import { type CallBounds, callStream, callUnary, CHANNEL_OPTIONS } from '@roost/grpc-transport';
import type { Span } from '@roost/observability';
import { DISAGG_AUTH, KvTransferServiceClient, type PullResponse, RoostError } from '@roost/protocol';

import { type Unsealed, unseal } from './checked-stream.js';

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

/** Fetches caches from context workers, over one channel for each, kept for as long as it is among the last used. */
export class KvPuller {
  private readonly channels = new Map<string, KvTransferServiceClient>();

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
    const bounds = this.bounds(signal);
    try {
      return await this.pullOver(ticket, skipTokens, bounds);
    } catch (error) {
      if (!wasOpen || !hasNoSuchCache(error)) throw error;
      return await this.pullOver(ticket, skipTokens, bounds);
    }
  }

  private async pullOver(ticket: HandoffTicket, skipTokens: number, within: CallBounds): Promise<Unsealed> {
    const client = this.channelTo(ticket.endpoint);
    const request = { ...requestOf(ticket), skipTokens, awaited: ticket.awaited };
    const bounds = { ...within, graceMs: END_WITHIN_MS };
    const messages = callStream(client.pull.bind(client), request, metadataOf(ticket), bounds);
    return await unseal(this.blamingTheTransfer(messages, ticket.endpoint));
  }

  /** Tells the context worker that the cache has arrived. A confirmation that is lost costs room until the cache expires, no more. */
  async confirm(ticket: HandoffTicket, signal: AbortSignal): Promise<void> {
    const client = this.channelTo(ticket.endpoint);
    await callUnary(client.release.bind(client), requestOf(ticket), metadataOf(ticket), this.bounds(signal)).catch(
      () => undefined,
    );
  }

  close(): void {
    for (const client of this.channels.values()) client.close();
    this.channels.clear();
  }

  /** Whoever asked for the generation would take a lost context worker for the loss of this one. */
  private async *blamingTheTransfer(
    messages: AsyncGenerator<PullResponse, void, undefined>,
    endpoint: string,
  ): AsyncGenerator<PullResponse, void, undefined> {
    try {
      for await (const message of messages) {
        if (message.chunk !== undefined) this.arrived(message.chunk.length);
        yield message;
      }
    } catch (error) {
      const code = error instanceof RoostError ? error.code : null;
      if (code === 'kv_cache_gone' || code === 'worker_unavailable') this.forget(endpoint);
      if (code === 'worker_unavailable') {
        throw new RoostError('kv_cache_gone', 'the context worker is gone, and the KV cache with it', { cause: error });
      }
      if (code === 'deadline_exceeded') {
        const message = `the KV cache did not arrive within ${String(this.timeoutMs)} ms`;
        throw new RoostError('kv_transfer_failed', message, { cause: error });
      }
      throw error;
    }
  }

  private bounds(signal: AbortSignal): CallBounds {
    return { signal, deadline: Date.now() + this.timeoutMs };
  }

  /**
   * A worker that has no such cache may be another than the one that the endpoint's name stands for by now: where workers
   * have restarted, addresses change hands, and a channel stays with its address. A new channel looks the name up anew.
   */
  private forget(endpoint: string): void {
    this.channels.get(endpoint)?.close();
    this.channels.delete(endpoint);
  }

  private channelTo(endpoint: string): KvTransferServiceClient {
    const known = this.channels.get(endpoint);
    const client = known ?? this.open(endpoint);
    this.channels.delete(endpoint);
    this.channels.set(endpoint, client);
    for (const [oldest, channel] of this.channels) {
      if (this.channels.size <= MAX_CHANNELS) break;
      channel.close();
      this.channels.delete(oldest);
    }
    return client;
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

import { credentials, Metadata } from '@grpc/grpc-js';
import { callStream, callUnary, CHANNEL_OPTIONS } from '@roost/grpc-transport';
import {
  type GenerateRequest,
  type GenerateResponse,
  type GetInfoResponse,
  KvTransferServiceClient,
  LegServiceClient,
  type PrefillRequest,
  type PrefillResponse,
  type PullRequest,
  type PullResponse,
  type ReleaseRequest,
  type ReleaseResponse,
  WorkerServiceClient,
} from '@roost/protocol';

import { collect } from './collect.js';

/** Metadata of a call, by key; a Buffer needs a key that ends in `-bin`. */
export type Meta = Readonly<Record<string, string | Buffer>>;

/** Talks to one worker the way an edge, another worker, or an attacker does. Failed calls reject with a RoostError. */
export class WorkerClient {
  private readonly legs: LegServiceClient;
  private readonly transfers: KvTransferServiceClient;
  private readonly worker: WorkerServiceClient;

  /** @param address host:port */
  constructor(readonly address: string) {
    const security = credentials.createInsecure();
    this.legs = new LegServiceClient(address, security, CHANNEL_OPTIONS);
    this.transfers = new KvTransferServiceClient(address, security, CHANNEL_OPTIONS);
    this.worker = new WorkerServiceClient(address, security, CHANNEL_OPTIONS);
  }

  info(): Promise<GetInfoResponse> {
    return callUnary(this.worker.getInfo.bind(this.worker), {}, new Metadata(), bounds());
  }

  prefill(request: PrefillRequest, meta: Meta = {}): Promise<PrefillResponse> {
    return callUnary(this.legs.prefill.bind(this.legs), request, metadataOf(meta), bounds());
  }

  generate(request: GenerateRequest, meta: Meta = {}): Promise<GenerateResponse[]> {
    return collect(callStream(this.legs.generate.bind(this.legs), request, metadataOf(meta), bounds()));
  }

  pull(request: PullRequest, meta: Meta = {}): Promise<PullResponse[]> {
    return collect(callStream(this.transfers.pull.bind(this.transfers), request, metadataOf(meta), bounds()));
  }

  release(request: ReleaseRequest, meta: Meta = {}): Promise<ReleaseResponse> {
    return callUnary(this.transfers.release.bind(this.transfers), request, metadataOf(meta), bounds());
  }

  close(): void {
    for (const client of [this.legs, this.transfers, this.worker]) client.close();
  }
}

function bounds(): { signal: AbortSignal; deadline: number } {
  return { signal: new AbortController().signal, deadline: Date.now() + 20_000 };
}

function metadataOf(meta: Meta): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(meta)) metadata.set(key, value);
  return metadata;
}

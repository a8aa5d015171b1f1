import {
  type ChannelCredentials,
  type Client,
  credentials,
  makeGenericClientConstructor,
  Metadata,
} from '@grpc/grpc-js';
import { callUnary, CHANNEL_OPTIONS, type UnaryMethod } from '@roost/grpc-transport';
import {
  type GetInfoResponse,
  KvEventServiceClient,
  KvTransferServiceClient,
  LegClient,
  type LegServiceClient,
  WorkerServiceClient,
  RoostError,
} from '@roost/protocol';
import { service as healthService } from 'grpc-health-check';

/** A worker under full load may be late once; it is taken out of service, and its bindings with it, only when it stays so. */
const LATE_PROBES = 2;

interface HealthAnswer {
  readonly status: string | number;
}

const HealthClient = makeGenericClientConstructor(healthService, 'Health');

/** All that is asked of one worker, over one connection. */
interface Channel {
  readonly legs: LegServiceClient;
  readonly kvTransfer: KvTransferServiceClient;
  readonly events: KvEventServiceClient;
  readonly worker: WorkerServiceClient;
  readonly health: InstanceType<typeof HealthClient>;
}

function openChannel(server: string, security: ChannelCredentials): Channel {
  return {
    legs: new LegClient(server, security, CHANNEL_OPTIONS),
    kvTransfer: new KvTransferServiceClient(server, security, CHANNEL_OPTIONS),
    events: new KvEventServiceClient(server, security, CHANNEL_OPTIONS),
    worker: new WorkerServiceClient(server, security, CHANNEL_OPTIONS),
    health: new HealthClient(server, security, CHANNEL_OPTIONS),
  };
}

/** One running worker as the edge sees it: its channel, whether it serves, and what it says of itself. */
export class Instance {
  private channel: Channel;
  private isServing = false;
  private lateProbes = 0;
  private closed = false;
  private lastInfo: GetInfoResponse | null = null;
  private refreshing: Promise<GetInfoResponse> | null = null;

  /**
   * @param server host:port
   * @param accept says what keeps a worker that says this of itself from being used, or null
   */
  constructor(
    readonly server: string,
    private readonly accept: (info: GetInfoResponse) => string | null = () => null,
    private readonly security: ChannelCredentials = credentials.createInsecure(),
  ) {
    this.channel = openChannel(server, security);
  }

  get legs(): LegServiceClient {
    return this.channel.legs;
  }

  get kvTransfer(): KvTransferServiceClient {
    return this.channel.kvTransfer;
  }

  get events(): KvEventServiceClient {
    return this.channel.events;
  }

  get serving(): boolean {
    return this.isServing;
  }

  /** What the worker last said of itself; null before it was first reached. */
  get info(): GetInfoResponse | null {
    return this.lastInfo;
  }

  /** Why this instance must not be used although it may serve, or null. */
  get mismatch(): string | null {
    return this.lastInfo === null ? null : this.accept(this.lastInfo);
  }

  /** Takes the instance for unusable until it is next found SERVING. */
  suspect(): void {
    this.isServing = false;
  }

  /**
   * Asks the worker whether it serves, and, when it has begun to, who it is. Never throws: a worker that cannot be reached
   * does not serve, and neither does one that leaves {@link LATE_PROBES} probes in a row unanswered.
   */
  async probe(timeoutMs: number): Promise<void> {
    try {
      const { status } = await this.ask<HealthAnswer>('Check', { service: '' }, timeoutMs);
      const serving = status === 'SERVING' || status === 1;
      if (serving && !this.isServing) await this.refreshInfo(timeoutMs);
      this.isServing = serving && this.mismatch === null;
      this.lateProbes = 0;
    } catch (error) {
      const late = error instanceof RoostError && error.code === 'deadline_exceeded';
      if (!late) this.reconnect();
      this.lateProbes = late ? this.lateProbes + 1 : LATE_PROBES;
      if (this.lateProbes >= LATE_PROBES) this.isServing = false;
    }
  }

  /**
   * Asks the worker what it runs and what its ranks hold at this moment. Whoever asks meanwhile shares the answer, so that
   * a worker is not asked more often than it answers, however many ask the edge.
   *
   * @throws RoostError when it does not answer in time
   */
  refreshInfo(timeoutMs: number): Promise<GetInfoResponse> {
    this.refreshing ??= this.askInfo(timeoutMs).finally(() => {
      this.refreshing = null;
    });
    return this.refreshing;
  }

  private async askInfo(timeoutMs: number): Promise<GetInfoResponse> {
    const { worker } = this.channel;
    this.lastInfo = await callUnary(worker.getInfo.bind(worker), {}, new Metadata(), bounds(timeoutMs));
    return this.lastInfo;
  }

  close(): void {
    this.closed = true;
    this.closeChannel();
  }

  private closeChannel(): void {
    for (const client of Object.values<Client>({ ...this.channel })) client.close();
  }

  /**
   * A channel stays with the address that its name had: where several workers restart, that may be another worker's by the
   * time at which it is reached again. The next call looks the name up anew.
   */
  private reconnect(): void {
    if (this.closed) return;
    this.closeChannel();
    this.channel = openChannel(this.server, this.security);
  }

  private ask<Answer>(method: string, request: object, timeoutMs: number): Promise<Answer> {
    const { health } = this.channel;
    const call = health[method] as unknown as UnaryMethod<object, Answer>;
    return callUnary(call.bind(health), request, new Metadata(), bounds(timeoutMs));
  }
}

function bounds(timeoutMs: number): { signal: AbortSignal; deadline: number } {
  return { signal: new AbortController().signal, deadline: Date.now() + timeoutMs };
}

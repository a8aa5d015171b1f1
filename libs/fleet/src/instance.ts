import { type ChannelCredentials, credentials, makeGenericClientConstructor, Metadata } from '@grpc/grpc-js';
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

/** One running worker as the edge sees it: its channel, whether it serves, and what it says of itself. */
export class Instance {
  readonly legs: LegServiceClient;
  readonly kvTransfer: KvTransferServiceClient;
  readonly events: KvEventServiceClient;
  private readonly worker: WorkerServiceClient;
  private readonly health: InstanceType<typeof HealthClient>;
  private isServing = false;
  private lateProbes = 0;
  private lastInfo: GetInfoResponse | null = null;

  /**
   * @param server host:port
   * @param accept says what keeps a worker that says this of itself from being used, or null
   */
  constructor(
    readonly server: string,
    private readonly accept: (info: GetInfoResponse) => string | null = () => null,
    security: ChannelCredentials = credentials.createInsecure(),
  ) {
    this.legs = new LegClient(server, security, CHANNEL_OPTIONS);
    this.kvTransfer = new KvTransferServiceClient(server, security, CHANNEL_OPTIONS);
    this.events = new KvEventServiceClient(server, security, CHANNEL_OPTIONS);
    this.worker = new WorkerServiceClient(server, security, CHANNEL_OPTIONS);
    this.health = new HealthClient(server, security, CHANNEL_OPTIONS);
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
      this.lateProbes = late ? this.lateProbes + 1 : LATE_PROBES;
      if (this.lateProbes >= LATE_PROBES) this.isServing = false;
    }
  }

  /**
   * Asks the worker what it runs and what its ranks hold at this moment.
   *
   * @throws RoostError when it does not answer in time
   */
  async refreshInfo(timeoutMs: number): Promise<GetInfoResponse> {
    this.lastInfo = await callUnary(this.worker.getInfo.bind(this.worker), {}, new Metadata(), bounds(timeoutMs));
    return this.lastInfo;
  }

  close(): void {
    for (const client of [this.legs, this.kvTransfer, this.events, this.worker, this.health]) client.close();
  }

  private ask<Answer>(method: string, request: object, timeoutMs: number): Promise<Answer> {
    const call = this.health[method] as unknown as UnaryMethod<object, Answer>;
    return callUnary(call.bind(this.health), request, new Metadata(), bounds(timeoutMs));
  }
}

function bounds(timeoutMs: number): { signal: AbortSignal; deadline: number } {
  return { signal: new AbortController().signal, deadline: Date.now() + timeoutMs };
}

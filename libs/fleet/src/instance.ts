import { type Client, type ClientUnaryCall, credentials, makeGenericClientConstructor, Metadata } from '@grpc/grpc-js';
import { callUnary, CHANNEL_OPTIONS, GrpcConnection, type UnaryMethod } from '@roost/grpc-transport';
import {
  type GetInfoResponse,
  KvEventServiceClient,
  RoostError,
  WORKER_INCARNATION,
  WorkerServiceClient,
} from '@roost/protocol';
import { service as healthService } from 'grpc-health-check';

/** A worker under full load may be late once; it is taken out of service, and its bindings with it, only when it stays so. */
const LATE_PROBES = 2;

interface HealthAnswer {
  readonly status: string | number;
}

const HealthClient = makeGenericClientConstructor(healthService, 'Health');

/**
 * What is asked of one worker besides legs, over one channel of grpc-js: what one client is answered must never be another
 * worker's than what the next is.
 */
interface Channel {
  readonly events: KvEventServiceClient;
  readonly worker: WorkerServiceClient;
  readonly health: InstanceType<typeof HealthClient>;
}

function openChannel(server: string): Channel {
  const security = credentials.createInsecure();
  const health = new HealthClient(server, security, CHANNEL_OPTIONS);
  const shared = { channelOverride: health.getChannel() };
  return {
    health,
    events: new KvEventServiceClient(server, security, shared),
    worker: new WorkerServiceClient(server, security, shared),
  };
}

/** One running worker as the edge sees it: how it is reached, whether it serves, and what it says of itself. */
export class Instance {
  private channel: Channel;
  /** Legs have a connection of their own, at a third of the cost, to the address that answers for the worker's health. */
  private legConnection: GrpcConnection;
  private isServing = false;
  /** Whether the channel may lead elsewhere than the name does by now. */
  private isDoubtful = false;
  private lateProbes = 0;
  private closed = false;
  private lastInfo: GetInfoResponse | null = null;
  private refusal: string | null = null;
  private refreshing: Promise<GetInfoResponse> | null = null;

  /**
   * @param server host:port
   * @param accept says what keeps a worker that says this of itself from being used, or null
   */
  constructor(
    readonly server: string,
    private readonly accept: (info: GetInfoResponse) => string | null = () => null,
  ) {
    this.channel = openChannel(server);
    this.legConnection = new GrpcConnection(server);
  }

  get legs(): GrpcConnection {
    return this.legConnection;
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

  /** Why this instance must not be used although it served when it was last reached, or null. */
  get mismatch(): string | null {
    return this.refusal;
  }

  /** Takes the instance for unusable until it is next found SERVING, wherever its name leads to by then. */
  suspect(): void {
    this.isServing = false;
    this.isDoubtful = true;
  }

  /** Has the next look at the instance find out where its name leads to by then. */
  doubt(): void {
    this.isDoubtful = true;
  }

  /**
   * Says on a call which worker it is meant for. A worker that is another refuses it with `worker_unavailable`: behind a
   * name there may be another process than the one that the name stood for when it was last looked at.
   */
  address(metadata: Metadata): void {
    const incarnation = this.lastInfo?.incarnation ?? '';
    if (incarnation !== '') metadata.set(WORKER_INCARNATION, incarnation);
  }

  /**
   * Asks the worker whether it serves, and who it is. Never throws: a worker that cannot be reached does not serve, and
   * neither does one that leaves {@link LATE_PROBES} probes in a row unanswered.
   *
   * @returns what it says of itself, be it used or refused; null when it has not answered SERVING
   */
  async probe(timeoutMs: number): Promise<GetInfoResponse | null> {
    if (this.isDoubtful) this.reconnect();
    try {
      const info = await this.look(timeoutMs);
      this.judge(info);
      this.lateProbes = 0;
      return info;
    } catch (error) {
      const late = error instanceof RoostError && error.code === 'deadline_exceeded';
      this.lateProbes = late ? this.lateProbes + 1 : LATE_PROBES;
      if (this.lateProbes >= LATE_PROBES) this.suspect();
      return null;
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

  private async look(timeoutMs: number): Promise<GetInfoResponse | null> {
    const { status } = await this.askHealth(timeoutMs);
    const serves = status === 'SERVING' || status === 1;
    // Each time: a process that has taken the place of another between two looks serves as well.
    return serves ? await this.refreshInfo(timeoutMs) : null;
  }

  /** @param info of a worker that serves; null: it does not */
  private judge(info: GetInfoResponse | null): void {
    if (info !== null) this.refusal = this.accept(info);
    this.isServing = info !== null && this.refusal === null;
    this.isDoubtful = info !== null && !this.isServing;
  }

  private async askInfo(timeoutMs: number): Promise<GetInfoResponse> {
    const { worker } = this.channel;
    this.lastInfo = await callUnary(worker.getInfo.bind(worker), {}, new Metadata(), bounds(timeoutMs));
    return this.lastInfo;
  }

  close(): void {
    this.closed = true;
    this.closeChannel();
    this.legConnection.close();
  }

  private closeChannel(): void {
    for (const client of Object.values<Client>({ ...this.channel })) client.close();
  }

  /**
   * A channel stays with the address that its name had, also while it waits for an answer from there: where several workers
   * restart, that may be another worker's by the time at which it is reached again. The next call looks the name up anew.
   */
  private reconnect(): void {
    if (this.closed) return;
    this.closeChannel();
    this.channel = openChannel(this.server);
  }

  private async askHealth(timeoutMs: number): Promise<HealthAnswer> {
    const { health } = this.channel;
    const method = health['Check'] as unknown as UnaryMethod<object, HealthAnswer>;
    const call = Promise.withResolvers<ClientUnaryCall>();
    const check: typeof method = (...asked) => {
      const made = method.apply(health, asked);
      call.resolve(made);
      return made;
    };
    const answer = await callUnary(check, { service: '' }, new Metadata(), bounds(timeoutMs));
    this.leadLegsTo((await call.promise).getPeer());
    return answer;
  }

  private leadLegsTo(address: string): void {
    if (this.legConnection.server === address || this.closed) return;
    this.legConnection.close();
    this.legConnection = new GrpcConnection(address);
  }
}

function bounds(timeoutMs: number): { signal: AbortSignal; deadline: number } {
  return { signal: new AbortController().signal, deadline: Date.now() + timeoutMs };
}

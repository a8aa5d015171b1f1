import { type handleUnaryCall, type Metadata, Server, ServerCredentials, type StatusObject } from '@grpc/grpc-js';
import { ServingStatus, statusOf } from '@roost/grpc-transport';
import {
  type DisaggregatedParams,
  FinishReason,
  type GenerateRequest,
  GenerateResponse,
  GetInfoResponse,
  type KvTransferServiceServer,
  KvTransferServiceService,
  LegServiceService,
  type LegServiceServer,
  type PrefillRequest,
  PrefillResponse,
  type PullResponse,
  type ReleaseRequest,
  WorkerServiceService,
} from '@roost/protocol';

/** One leg as a fake worker saw it. */
export interface SeenLeg<Message> {
  readonly message: Message;
  readonly metadata: Metadata;
}

/** What a fake worker does with a leg, given how many it has seen before; throws what the leg is to fail with: a status as it goes on the wire, or an error. */
export interface Script {
  readonly prefill?: (request: PrefillRequest, before: number) => PrefillResponse | Promise<PrefillResponse>;
  readonly generate?: (request: GenerateRequest, before: number) => Iterable<GenerateResponse>;
  /** What is sent as a held cache; nothing by default. */
  readonly pull?: () => Iterable<PullResponse>;
  /** The status that a release is to fail with, as it goes on the wire. */
  readonly release?: () => Partial<StatusObject>;
}

/** A worker in the test's own process that answers as it is told, and remembers what it was sent. */
export class FakeWorker {
  readonly prefills: SeenLeg<PrefillRequest>[] = [];
  readonly generates: SeenLeg<GenerateRequest>[] = [];
  readonly releases: ReleaseRequest[] = [];
  script: Script = {};
  private readonly server = new Server();
  private readonly status = new ServingStatus();
  private port = 0;

  /** Starts a worker that serves; its legs succeed as long as its script does not say otherwise. */
  static async start(role: 'CONTEXT' | 'GENERATION'): Promise<FakeWorker> {
    const worker = new FakeWorker(role);
    await worker.listen();
    return worker;
  }

  private constructor(private readonly role: 'CONTEXT' | 'GENERATION') {}

  /** host:port */
  get address(): string {
    return `127.0.0.1:${String(this.port)}`;
  }

  /** Forgets what it has seen, and what it was told. */
  reset(): void {
    this.script = {};
    for (const seen of [this.prefills, this.generates, this.releases]) seen.length = 0;
  }

  setServing(serving: boolean): void {
    this.status.set(serving);
  }

  stop(): void {
    this.server.forceShutdown();
  }

  private async listen(): Promise<void> {
    this.server.addService(LegServiceService, this.legs());
    this.server.addService(WorkerServiceService, { getInfo: this.info() });
    this.server.addService(KvTransferServiceService, this.transfers());
    this.status.attachTo(this.server);
    this.port = await new Promise((resolve, reject) => {
      this.server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
        if (error === null) resolve(port);
        else reject(error);
      });
    });
    this.status.set(true);
  }

  private legs(): LegServiceServer {
    return {
      prefill: (call, callback) => {
        const before = this.prefills.push({ message: call.request, metadata: call.metadata }) - 1;
        const answer = async (): Promise<PrefillResponse> =>
          (await this.script.prefill?.(call.request, before)) ?? prefilled(call.request, this.address);
        answer().then(
          (response) => {
            callback(null, response);
          },
          (error: unknown) => {
            callback(isStatus(error) ? error : statusOf(error));
          },
        );
      },
      generate: (call) => {
        const before = this.generates.push({ message: call.request, metadata: call.metadata }) - 1;
        try {
          const answers = this.script.generate?.(call.request, before) ?? generated(call.request);
          for (const answer of answers) call.write(answer);
          call.end();
        } catch (error) {
          call.emit('error', statusOf(error));
        }
      },
    };
  }

  private transfers(): KvTransferServiceServer {
    return {
      pull: (call) => {
        for (const message of this.script.pull?.() ?? []) call.write(message);
        call.end();
      },
      release: (call, callback) => {
        this.releases.push(call.request);
        callback(this.script.release?.() ?? null, { released: true });
      },
    };
  }

  private info(): handleUnaryCall<unknown, GetInfoResponse> {
    return (_call, callback) => {
      const answer = { model: 'roost-simulated', role: this.role, numRanks: 1, ctxInfoEndpoint: this.address };
      callback(null, GetInfoResponse.fromPartial({ ...answer, maxSeqLen: 131_072, tokensPerBlock: 32 }));
    };
  }
}

function isStatus(error: unknown): error is StatusObject {
  return error instanceof Error && 'code' in error && 'metadata' in error;
}

/** The context answer to a leg: a prompt of 100 tokens, 64 of them cached, and one token of the answer. */
export function prefilled({ disaggregatedParams }: PrefillRequest, endpoint: string): PrefillResponse {
  const id = disaggregatedParams?.disaggRequestId ?? 0n;
  const usage = { promptTokens: 100, completionTokens: 1, cachedTokens: 64 };
  const params: DisaggregatedParams = {
    requestType: 'context_only',
    firstGenTokens: [500],
    ctxRequestId: id,
    disaggRequestId: id,
    encodedOpaqueState: Buffer.from(`state of ${String(id)}`).toString('base64'),
    ctxDpRank: 3,
    ctxInfoEndpoint: endpoint,
    scheduleStyle: 'context_first',
    ctxUsage: usage,
  };
  return PrefillResponse.fromPartial({
    disaggregatedParams: params,
    finishReason: FinishReason.FINISH_REASON_NOT_FINISHED,
    usage,
    rank: 3,
  });
}

/** The generation answer to a leg: two words, with the usage that came from the context leg. */
export function generated({ disaggregatedParams }: GenerateRequest): GenerateResponse[] {
  const ctxUsage = disaggregatedParams?.ctxUsage;
  const usage = { promptTokens: 0, cachedTokens: 0, ...ctxUsage, completionTokens: 2 };
  return [
    GenerateResponse.fromPartial({ text: 'two', tokenIds: [500], rank: 1 }),
    GenerateResponse.fromPartial({ text: ' words', tokenIds: [501] }),
    GenerateResponse.fromPartial({ finishReason: FinishReason.FINISH_REASON_STOP, usage }),
  ];
}
